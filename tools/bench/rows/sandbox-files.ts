import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { post } from '@farhand/client/post/post'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { type Child, printedJson } from '../children.ts'
import { lazily } from '../lazily.ts'
import { spreadFiles } from '../load/edits.ts'
import { Road } from '../load/road.ts'
import { settledPair } from '../load/settled-pair.ts'
import { type StampedEdits, stampedLatencies } from '../load/stamped-edits.ts'
import { planTree, smallTree, writeTree } from '../load/tree.ts'
import { turnsOfAll } from '../load/turn-times.ts'
import { node } from '../node-program.ts'
import type { Hub } from '../peers/hub.ts'
import { farhand, hubInMemory } from '../peers/links.ts'
import { startHosted } from '../peers/runners.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Row, Sample } from '../row.ts'
import { percentile } from '../statistics.ts'

const tree = planTree(smallTree)
const files = spreadFiles(tree.files, 20)
const limitMs = 60_000

const linked = 'two linked folders'
const sandboxed = 'an agent in a sandbox'
const bare = 'a runner without a sandbox'
const words = 'from a message to its first word'

function summary(times: readonly number[]): Sample {
  return { 'p50 ms': percentile(times, 0.5), 'p99 ms': percentile(times, 0.99) }
}

/** Has a command run where this is; resolves when it was begun. */
type Place = { folder: string; run: (program: string) => Promise<unknown> }

async function linkedFolders(bench: Bench, hub: Hub): Promise<Place> {
  const { a, b } = await settledPair(bench.folder, 'linked', farhand(bench, hub), tree)
  const run = (program: string) => once(spawn(node, ['-e', program], { cwd: b, stdio: 'ignore' }), 'spawn')
  return { folder: a, run }
}

/** As a person begins one: a folder here, and an agent in a sandbox of the hub's. */
async function sandboxedRun(bench: Bench, hub: Hub): Promise<Place & { at: RunAddress }> {
  const folder = join(bench.folder, 'sandboxed')
  mkdirSync(folder)
  writeTree(folder, tree)
  const who = ['--hub', hub.url, '--token', hub.token, '--state', `${folder}.state`]
  const how = ['--agent', 'rehearsal', '--sandbox', 'auto', '--folder', folder, '--detach', '--json']
  const child: Child = bench.children.start(node, [bench.hubEntry, 'run', 'say "ready"', ...how, ...who])
  const at = await printedJson(child, addressIn, { limitMs, everyMs: 20 })
  const run = (program: string) => {
    const params = { id: 'edits', command: `${quoted(node)} -e ${quoted(program)}` }
    return post(hub, at, { jsonrpc: '2.0', method: '_posthog/shell', params })
  }
  return { folder, run, at }
}

function addressIn({ project, task, run }: Record<string, unknown>): RunAddress | null {
  return project && task && run ? ({ project, task, run } as RunAddress) : null
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

export const sandboxFiles: Row = {
  name: 'sandbox-files',
  title: 'Through a sandbox: from the agent’s write to your folder, and from your message to its first word',
  peers: [],
  inMemory: true,
  async run(bench) {
    const count = bench.quick ? 40 : 100
    const edits: StampedEdits = { files, count, limitMs }
    const hub = lazily(() => hubInMemory(bench))
    const pair = lazily(async () => linkedFolders(bench, await hub()))
    const far = lazily(async () => {
      const place = await sandboxedRun(bench, await hub())
      return { ...place, road: new Road(await hub(), place.at) }
    })
    const near = lazily(async () => {
      const { at } = await startHosted(bench, await hub(), 'near')
      return new Road(await hub(), at)
    })
    const filesOf = (name: string, of: () => Promise<Place>): Entry => ({
      name,
      async measure() {
        const { folder, run } = await of()
        return summary(await stampedLatencies(folder, edits, run))
      },
    })
    const talk = (name: string, of: () => Promise<Road>): Entry => ({
      name: `${name}, ${words}`,
      async measure() {
        const times = await turnsOfAll([await of()], bench.quick ? 20 : 50, 100)
        return summary(times.map(({ firstMs }) => firstMs))
      },
    })
    const figures = await interleave(
      [
        filesOf(linked, pair),
        filesOf(sandboxed, far),
        talk(bare, near),
        talk(sandboxed, async () => (await far()).road),
      ],
      bench.quick ? 1 : 3,
      bench.say,
    )
    ;(await far()).road.close()
    ;(await near()).close()
    return {
      figures,
      goals: [
        {
          text: 'a file that the agent writes is in your folder within 1.5x of what two linked folders take',
          metric: 'p50 ms',
          hub: sandboxed,
          over: linked,
          atMost: 1.5,
        },
        {
          text: 'its first word comes within 1.5x of what it takes without a sandbox',
          metric: 'p50 ms',
          hub: `${sandboxed}, ${words}`,
          over: `${bare}, ${words}`,
          atMost: 1.5,
        },
      ],
      notes: [
        `A program writes 2 KB over one of 20 files, ${count} times a round, with the time in each; who watches the folder at the other end takes the time of its arrival by the same clock. In the first line the program runs in the far one of two linked folders, in the second in the agent's place in the sandbox (\`auto\`: isolated where the machine can). Words: a client that follows the run posts a message every 100 ms or so to the rehearsal agent.`,
      ],
    }
  },
}
