/// <reference path="./generated/provider-extension.d.ts" />
/// <reference path="./generated/tool-extension.d.ts" />

/**
 * The generated types describe what another engine hands to JavaScript; in QuickJS `u64` is a number
 * and an absent `option` is null. On the way out, undefined is as good as null.
 */
export type Received<T> = T extends bigint
  ? number
  : T extends string | number | boolean | Uint8Array
    ? T
    : T extends undefined
      ? null
      : T extends readonly (infer Item)[]
        ? number extends T['length']
          ? Received<Item>[]
          : { [Key in keyof T]: Received<T[Key]> }
        : {
            [Key in keyof T]-?: Record<never, never> extends Pick<T, Key>
              ? Received<Exclude<T[Key], undefined>> | null
              : Received<T[Key]>
          }

export type Sent<T> = T extends bigint
  ? number
  : T extends string | number | boolean | Uint8Array
    ? T
    : T extends undefined
      ? null | undefined
      : T extends readonly (infer Item)[]
        ? number extends T['length']
          ? Sent<Item>[]
          : { [Key in keyof T]: Sent<T[Key]> }
        : {
            [Key in keyof T]: Record<never, never> extends Pick<T, Key>
              ? Sent<Exclude<T[Key], undefined>> | null | undefined
              : Sent<T[Key]>
          }
