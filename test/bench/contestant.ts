/** One of those who race: opens answers and reads them to their end. */
export interface Contestant extends AsyncDisposable {
  name: string
  /** Reads a whole answer, event by event, and returns its text. */
  answer(model: string): Promise<string>
  /** Opens an answer and reads its first text; the connection stays open until `release`. */
  open(model: string): Promise<{ release(): Promise<void> }>
  /** Copies of the guest; absent where there is no guest. */
  instances?(): Promise<number> | number
}

export type ContestantName = 'airlock' | 'ai-sdk'

export async function createContestant(name: ContestantName, url: string): Promise<Contestant> {
  switch (name) {
    case 'airlock':
      return (await import('./contestant-airlock.ts')).createAirlockContestant(url)
    case 'ai-sdk':
      return (await import('./contestant-ai-sdk.ts')).createAiSdkContestant(url)
    default:
      return name satisfies never
  }
}
