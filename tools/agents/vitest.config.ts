import process from 'node:process'
import { defineConfig } from 'vitest/config'

// Real agents are large and slow to start: one at a time, and only when somebody asks for them.
export default defineConfig({
  test: {
    allowOnly: false,
    include: ['tools/agents/**/*.agents.test.ts', 'packages/*/src/**/*.agents.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
    provide: { agents: (process.env.FARHAND_AGENTS ?? '').split(' ') },
  },
})

declare module 'vitest' {
  interface ProvidedContext {
    agents: readonly string[]
  }
}
