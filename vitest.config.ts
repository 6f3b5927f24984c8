import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/built-extensions.ts'],
    reporters: [
      ['default', { summary: false }],
      ['./test/support/closing-line.ts', {}],
    ],
    // Every extension has a thread of its own beside these.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    unstubEnvs: true,
    restoreMocks: true,
    env: { NO_COLOR: '1' },
  },
})
