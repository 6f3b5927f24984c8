import { CHUNKS, modelOf, type Pace } from './answer.ts'
import type { ContestantName } from './contestant.ts'
import { median } from './median.ts'
import { startContestant } from './processes.ts'

export interface Row {
  pace: Pace
  streams: number
  rounds: number
  /** Microseconds for each event: CPU of the whole process with all its threads, and wall time. Medians. */
  airlock: { cpuUs: number; wallUs: number }
  aiSdk: { cpuUs: number; wallUs: number }
  /** Airlock over AI SDK. */
  ratio: { cpu: number; wall: number }
}

/** Rounds in turn, each contestant in a process that this row alone uses. */
export async function race(url: string, pace: Pace, streams: number, rounds: number): Promise<Row> {
  await using airlock = await startContestant('airlock', url)
  await using aiSdk = await startContestant('ai-sdk', url)
  const run = async (who: typeof airlock) => {
    const { cpuMs, wallMs } = await who.send({ type: 'round', model: modelOf(pace), streams })
    const events = streams * CHUNKS
    return { cpuUs: (cpuMs * 1000) / events, wallUs: (wallMs * 1000) / events }
  }

  // A single stream is few events: what is measured after one of them is the compiler at work.
  const warmUps = streams === 1 ? 3 : 1
  for (let round = 0; round < warmUps; round++) {
    await run(airlock)
    await run(aiSdk)
  }
  const measured: Record<ContestantName, Awaited<ReturnType<typeof run>>[]> = { airlock: [], 'ai-sdk': [] }
  for (let round = 0; round < rounds; round++) {
    // Who goes first changes, so that neither always meets the machine as the other left it.
    const order = round % 2 === 0 ? (['airlock', 'ai-sdk'] as const) : (['ai-sdk', 'airlock'] as const)
    for (const name of order) measured[name].push(await run(name === 'airlock' ? airlock : aiSdk))
  }
  const summary = (name: ContestantName) => ({
    cpuUs: median(measured[name].map(one => one.cpuUs)),
    wallUs: median(measured[name].map(one => one.wallUs)),
  })
  const [ours, theirs] = [summary('airlock'), summary('ai-sdk')]
  return {
    pace,
    streams,
    rounds,
    airlock: ours,
    aiSdk: theirs,
    ratio: { cpu: ours.cpuUs / theirs.cpuUs, wall: ours.wallUs / theirs.wallUs },
  }
}
