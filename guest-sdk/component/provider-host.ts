import * as llm from 'airlock:llm/llm-provider@0.1.0'
import type { Host } from './host.ts'

/** What an extension of providers has of its host besides. */
export const providerHost = { ...llm } as unknown as Host<
  typeof llm,
  | 'getCredential'
  | 'storeCredential'
  | 'deleteCredential'
  | 'getEnvVar'
  | 'getProviderSettings'
  | 'oauthStartWebAuth'
  | 'oauthSendHttpRequest'
  | 'oauthOpenBrowser'
>
