import type { ProviderSettings } from '../../contract/generated/interfaces/airlock-llm-llm-provider.js'
import type { Placeholders } from '../../credentials/placeholders.ts'
import type { Egress } from '../egress.ts'

/** What a guest may ask for without waiting: of a recording it is what the guest had when that was made. */
export interface RecordedFacts {
  credentials: Record<string, string>
  env: Record<string, string>
  settings: Record<string, ProviderSettings>
}

export interface TapeOptions {
  extension: string
  egress: Egress
  placeholders: Placeholders
  /** Told once where the recording cannot go on. */
  failed(message: string): void
}

/** Keeps what one extension says to the network, or answers it from what was kept. */
export interface Tape {
  egress: Egress
  /** What the guest gets in the place of `facts`; the same where it is recorded. */
  facts(facts: RecordedFacts): Promise<RecordedFacts>
}

export type OpenTape = (options: TapeOptions) => Tape
