/**
 * The values that a JSON Schema lets through, as far as types can say it: `defineTool` types a tool's parameters with
 * it. What it does not understand is `unknown`.
 */
export type SchemaValue<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: 'string' }
      ? string
      : Schema extends { readonly type: 'number' | 'integer' }
        ? number
        : Schema extends { readonly type: 'boolean' }
          ? boolean
          : Schema extends { readonly type: 'null' }
            ? null
            : Schema extends { readonly type: 'array' }
              ? readonly ItemOf<Schema>[]
              : Schema extends { readonly type: 'object' }
                ? ObjectOf<Schema>
                : unknown

type ItemOf<Schema> = Schema extends { readonly items: infer Item } ? SchemaValue<Item> : unknown

type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { readonly [Key in keyof Properties & RequiredOf<Schema>]: SchemaValue<Properties[Key]> } & {
        readonly [Key in Exclude<keyof Properties, RequiredOf<Schema>>]?: SchemaValue<Properties[Key]>
      }
    >
  : Readonly<Record<string, unknown>>

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never

type Flat<Value> = { [Key in keyof Value]: Value[Key] }
