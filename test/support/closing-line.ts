import { writeSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node'

/** Lists what was skipped and why, then closes with one plain line: `12 passed, 0 failed, 3 skipped`. */
export default class ClosingLine implements Reporter {
  #isFiltered = false

  onInit(vitest: Vitest): void {
    this.#isFiltered = vitest.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const skipped: string[] = []
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const result = test.result()
        if (result.state === 'pending') counts.failed++
        else counts[result.state]++
        // With `-t` all the others are skipped too: that is no news.
        if (result.state !== 'skipped' || (this.#isFiltered && result.note === undefined)) continue
        skipped.push(
          `skipped: ${module.relativeModuleId}: ${test.fullName}: ${result.note ?? 'no reason given'}`,
        )
      }
      // A file that could not be loaded has no test of its own to fail.
      if (module.errors().length > 0) counts.failed++
    }
    counts.failed += unhandled.length
    const closing = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`
    // Written at once: the process may be ended before a stream is flushed.
    writeSync(1, `${[...skipped, closing].join('\n')}\n`)
  }
}
