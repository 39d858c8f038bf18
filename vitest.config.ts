import { availableParallelism } from 'node:os'
import process from 'node:process'
import { configDefaults, defineConfig } from 'vitest/config'

const drills = ['packages/*/src/**/*.drill.test.ts', 'packages/e2e/src/drills/**/*.test.ts']

/** Tests with agents of other people, which are installed first. */
const agents = ['packages/*/src/**/*.agents.test.ts', 'tools/**/*.agents.test.ts']

/** Tests that keep nothing in the modules they load: these share a process, or loading would take longer than testing. */
const together = [
  'packages/{kit,protocol,agents}/src/**/*.test.ts',
  'packages/hub/src/{http,log,sandboxes,store}/**/*.test.ts',
  // The other one counts the timers of its process.
  'packages/hub/src/lifecycle/!(keeper).test.ts',
  'packages/runner/src/{briefing,limits,questions}/**/*.test.ts',
  'packages/sync/src/**/*.test.ts',
  'packages/hub/src/access/**/*.test.ts',
  'packages/device/src/{account,base,bring,commits,secret-scan}/**/*.test.ts',
  'packages/farhand/src/{account,agent-choice,attach,completion,diff,doctor,drill,finish,first-look,help,history,pull}/**/*.test.ts',
]

/** The two that are smallest and start fastest; `npm run test:agents` asks for others. */
const smallAgents = 'gemini goose'

/** Sandboxes are made with it; a machine without it is given it, or the tests that need it are skipped. */
const bubblewrap = 'tools/sandboxes/install-bubblewrap.ts'

/** What people see at a terminal is looked at in this one; without it those tests are skipped. */
const tmux = 'tools/terminal/install-tmux.ts'

/** One more than there are cores: most tests wait for something. By itself it would even leave one of them free. */
const abreast = availableParallelism() + 1

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
          name: 'together',
          include: together,
          exclude: [...configDefaults.exclude, ...drills, ...agents],
          globalSetup: bubblewrap,
          isolate: false,
          maxWorkers: abreast,
        },
      },
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['packages/*/{src,build}/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...together, ...drills, ...agents],
          globalSetup: [bubblewrap, tmux],
          maxWorkers: abreast,
        },
      },
      {
        extends: true,
        test: {
          name: 'agents',
          include: agents,
          globalSetup: ['tools/agents/install-agents.ts', bubblewrap],
          provide: { agents: (process.env.FARHAND_AGENTS ?? smallAgents).split(' ') },
          // Some take seconds to start, also where nothing else is to be done.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: abreast,
        },
      },
      {
        extends: true,
        // Drills kill processes and fill the machine with load: after everything else, and no more than three at a time.
        test: {
          name: 'drills',
          include: drills,
          globalSetup: bubblewrap,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})

declare module 'vitest' {
  interface ProvidedContext {
    long: boolean
    seed: number | null
    /** Ids of the agents of other people that are to be tested. */
    agents: readonly string[]
  }
}
