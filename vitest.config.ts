import process from 'node:process'
import { configDefaults, defineConfig } from 'vitest/config'

const drills = ['packages/*/src/**/*.drill.test.ts', 'packages/e2e/src/drills/**/*.test.ts']

/** Tests with agents of other people, which are large: `npm run test:agents`. */
const agents = '**/*.agents.test.ts'

const given = (seed: string | undefined) => (seed === undefined ? null : Number(seed))

export default defineConfig({
  test: {
    allowOnly: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // `npm test -- --long`: drills read it with inject('long') and run their rounds ten times over.
    // `npm test -- --seed 7`: what leaves something to chance begins with inject('seed') instead of its own.
    provide: { long: process.env.FARHAND_LONG === '1', seed: given(process.env.FARHAND_SEED) },
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['packages/*/{src,build}/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...drills, agents],
          // By itself it would leave a core free, and of two that is half: most tests wait for something.
          maxWorkers: '100%',
        },
      },
      {
        extends: true,
        // Drills kill processes and fill the machine with load: one at a time, after everything else.
        test: { name: 'drills', include: drills, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
})

declare module 'vitest' {
  interface ProvidedContext {
    long: boolean
    seed: number | null
  }
}
