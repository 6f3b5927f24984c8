import * as z from 'zod'

/** How a user can sign in to a provider. */
export interface SignInOption {
  /** Unique inside the provider. */
  id: string
  label: string
  method: SignInMethod
}

export type SignInMethod =
  | { type: 'form'; fields: SignInField[] }
  /** The service's page in the user's browser. */
  | { type: 'browser' }
  /** A code that the user enters on a page of the service, on any device. */
  | { type: 'device-flow' }

export interface SignInField {
  key: string
  label: string
  /** Masked on screen; the extension gets a stand-in for it. */
  secret: boolean
  required: boolean
  placeholder?: string
}

const text = z.string().max(1_000)

const field = z
  .object({
    key: z.string().min(1).max(200),
    label: text,
    secret: z.boolean(),
    required: z.boolean(),
    placeholder: text.optional(),
  })
  .transform(({ placeholder, ...rest }): SignInField => ({ ...rest, ...(placeholder && { placeholder }) }))

const method = z
  .discriminatedUnion('tag', [
    z.object({ tag: z.literal('form'), val: z.array(field).min(1).max(32) }),
    z.object({ tag: z.literal('browser') }),
    z.object({ tag: z.literal('device-flow') }),
  ])
  .transform(
    (given): SignInMethod =>
      given.tag === 'form' ? { type: 'form', fields: given.val } : { type: given.tag },
  )

/** What a guest's `sign-in-options` returned. */
export const signInOptions = z
  .array(z.object({ id: z.string().min(1).max(200), label: text, method }))
  .max(32)

/** What a guest's `start-device-flow` returned; the values are looked at where they are used. */
export const deviceFlow = z.object({
  prompt: z.object({
    userCode: z.string(),
    verificationUrl: z.string(),
    headline: z.string(),
    description: z.string(),
    connectButtonLabel: z.string(),
    successHeadline: z.string(),
    successMessage: z.string(),
  }),
  state: z.string(),
  pollIntervalSecs: z.number(),
  expiresInSecs: z.number(),
})

/** What a guest's `poll-device-flow` returned. */
export const deviceFlowStatus = z.discriminatedUnion('tag', [
  z.object({ tag: z.literal('pending') }),
  z.object({ tag: z.literal('slow-down'), val: z.number() }),
  z.object({ tag: z.literal('complete') }),
])
