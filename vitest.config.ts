import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import process from 'node:process'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const drills = ['packages/*/src/**/*.drill.test.ts', 'packages/e2e/src/drills/**/*.test.ts']

/** The app in a real browser, with a real hub behind it. */
const web = ['packages/e2e/src/web/**/*.test.ts', 'packages/e2e/src/attacks/**/*.web.test.ts']

/** Tests with agents of other people, which are installed first. */
const agents = ['packages/*/src/**/*.agents.test.ts', 'tools/**/*.agents.test.ts']

/**
 * Tests that need a process of their own: they hold its clock, count what it has, or change its surroundings. All others
 * in packages share processes, or loading would take longer than testing.
 */
const alone = [
  'packages/client/src/follow/silence.test.ts',
  'packages/farhand/src/commands/bring/bring-journey.test.ts',
  'packages/farhand/src/commands/handoff/handoff.test.ts',
  'packages/device/src/linked-folders/far-side.test.ts',
  'packages/farhand/src/terminal/live-screen.test.ts',
  'packages/hub/src/blobs/killed.test.ts',
  'packages/hub/src/lifecycle/keeper.test.ts',
  'packages/hub/src/runs/closer.test.ts',
  'packages/runner/src/agent/acp-agent.test.ts',
  'packages/runner/src/hub-away.test.ts',
  'packages/runner/src/runner.test.ts',
  'packages/runner/src/sandbox/hub-watch.test.ts',
  'packages/runner/src/turns/turn.test.ts',
]

/** The two that are smallest and start fastest; `npm run test:agents` asks for others. */
const smallAgents = 'gemini goose'
const agentsHere = (process.env.FARHAND_AGENTS ?? smallAgents).split(' ')

/** Tests that are about some of these agents only, and so are not in `npm test`. */
const aboutSome = [
  // The whole way of a user who has just installed the command, a minute with each.
  { with: ['opencode', 'claude'], in: 'tools/journey/**' },
  { with: ['opencode'], in: 'tools/agents/silent-retries.agents.test.ts' },
]

/** Sandboxes are made with it; a machine without it is given it, or the tests that need it are skipped. */
const bubblewrap = 'tools/install/install-bubblewrap.ts'

/** What people see at a terminal is looked at in tmux, and what Tab offers in their shells; without them those tests are skipped. */
const terminals = 'tools/install/install-terminals.ts'

/** The app is looked at in this browser, and is built before; without it those tests are skipped. */
const chromium = 'tools/install/install-chromium.ts'

/** Twice as many as there are cores: most tests wait for something. By itself it would even leave one of them free. */
const abreast = availableParallelism() * 2

/** How many seconds each slow file took when `npm test -- --note-times` was last run. */
const seconds = new Map<string, number>(
  Object.entries(JSON.parse(readFileSync(new URL('tools/testing/test-times.json', import.meta.url), 'utf8'))),
)

/** The slowest file begins first: begun last, all others would be over and it would run alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    const root = `${import.meta.dirname.replaceAll('\\', '/')}/`
    const secondsOf = ({ moduleId }: TestSpecification) => seconds.get(moduleId.replace(root, '')) ?? 0
    return projects.flatMap((one) =>
      sorted.filter(({ project }) => project === one).sort((a, b) => secondsOf(b) - secondsOf(a)),
    )
  }
}

const given = (seed: string | undefined) => (seed === undefined ? null : Number(seed))

export default defineConfig({
  test: {
    allowOnly: false,
    // Only what hangs should come to it, also on the slowest machine while that is busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    setupFiles: ['tools/testing/disk-or-memory.mjs', 'packages/testkit/src/each-file.ts'],
    sequence: { sequencer: LongestFirst },
    // `npm test -- --long`: drills read it with inject('long') and run their rounds ten times over.
    // `npm test -- --seed 7`: what leaves something to chance begins with inject('seed') instead of its own.
    // `npm test` puts temporary files into memory where it can, and `disk-or-memory.mjs` says for which tests.
    provide: {
      long: process.env.FARHAND_LONG === '1',
      seed: given(process.env.FARHAND_SEED),
      temporary: { disk: process.env.TMPDIR ?? null, memory: process.env.FARHAND_TEST_MEMORY ?? null },
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['packages/*/{src,build}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone, ...drills, ...agents, ...web],
          globalSetup: [bubblewrap, terminals],
          isolate: false,
          maxWorkers: abreast,
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: [...alone, 'tools/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...agents],
          globalSetup: [bubblewrap, terminals],
          maxWorkers: abreast,
        },
      },
      {
        extends: true,
        test: {
          name: 'agents',
          include: agents,
          exclude: [
            ...configDefaults.exclude,
            ...aboutSome
              .filter((some) => !some.with.some((id) => agentsHere.includes(id)))
              .map((some) => some.in),
          ],
          globalSetup: ['tools/agents/install-agents.ts', bubblewrap, terminals],
          provide: { agents: agentsHere },
          // Each takes up to 400 MB and a core: a developer who asks for all of them has them one after the other.
          maxWorkers: process.env.FARHAND_AGENTS === undefined ? abreast : 1,
        },
      },
      {
        extends: true,
        // Drills kill processes and fill the machine with load: after all but the browsers, and no more than three at a time.
        test: {
          name: 'drills',
          include: drills,
          globalSetup: bubblewrap,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        // A browser is many processes, of which each keeps a core busy: three at a time, drills counted, as those wait a lot.
        test: {
          name: 'web',
          include: web,
          globalSetup: chromium,
          setupFiles: ['packages/testkit/src/each-file.ts', 'packages/e2e/src/web/each-web-file.ts'],
          isolate: false,
          maxWorkers: 3,
          // Many times what they take: on a machine that is busy otherwise a page needs half a minute to be there.
          testTimeout: 180_000,
          hookTimeout: 180_000,
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
    temporary: { disk: string | null; memory: string | null }
    /** Ids of the agents of other people that are to be tested. */
    agents: readonly string[]
  }
}
