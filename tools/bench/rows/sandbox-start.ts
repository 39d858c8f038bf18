import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { printedJson } from '../children.ts'
import { commandMs } from '../load/command-ms.ts'
import { bigTree, planTree, smallTree, type Tree, writeTree } from '../load/tree.ts'
import { node } from '../node-program.ts'
import { startHub } from '../peers/hub.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Row, Sample } from '../row.ts'

const limitMs = 120_000

/** The steps of a start as the command calls them, and what they are called in the table. */
const steps: Readonly<Record<string, string>> = {
  created: 'run made',
  provisioned: 'sandbox there',
  baseMade: 'repository packed',
  baseSent: 'and at the hub',
  inStep: 'files at the hub',
  prompted: 'message sent',
  restored: 'files in the sandbox',
  heard: 'message taken on',
  agentStarted: 'agent started',
  firstWord: 'first word',
}

type Timings = { step: string; ms: number }[]

async function makeRepository(bench: Bench, folder: string, tree: Tree): Promise<void> {
  mkdirSync(folder)
  writeTree(folder, tree)
  const git = (...args: string[]) => commandMs(bench.children, 'git', ['-C', folder, ...args])
  await git('init', '-q')
  // It would be at it in the background while others are measured.
  await git('config', 'gc.auto', '0')
  await git('add', '-A')
  await git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-q', '-m', 'tree')
  // As a repository is that was cloned.
  await git('gc', '-q')
}

function startEntry(bench: Bench, kind: string, name: string, tree: Tree): Entry {
  const folder = join(bench.folder, `start-${kind}-${tree.files.length}`)
  const measure = async (): Promise<Sample> => {
    await makeRepository(bench, folder, tree)
    // A hub of its own each time: one that has seen the contents before would have less to do.
    const data = join(bench.folder, 'start-hub')
    const hub = await startHub(bench, data)
    const state = `${folder}.state`
    try {
      const who = ['--hub', hub.url, '--token', hub.token, '--state', state]
      const words = ['--agent', 'rehearsal', '--sandbox', kind, '--folder', folder, '--json', '--timings']
      const child = bench.children.start(node, [bench.hubEntry, 'run', 'say "ready"', ...words, ...who])
      const told = (event: string) =>
        printedJson(child, (line) => (line.event === event ? line : null), { limitMs, everyMs: 20 })
      const timings = (await told('timings')).steps as Timings
      // The run is closed with it, and what kept the folder in sync ends: nothing is left for the next round.
      await told('ended')
      return Object.fromEntries(
        Object.entries(steps).map(([step, metric]) => [
          `${metric}, s`,
          (timings.find((one) => one.step === step)?.ms ?? Number.NaN) / 1000,
        ]),
      )
    } finally {
      await hub.child.stop()
      for (const place of [folder, state, data]) rmSync(place, { recursive: true, force: true })
    }
  }
  return { name, measure, ...(kind === 'bubblewrap' && { peer: true as const }) }
}

export const sandboxStart: Row = {
  name: 'sandbox-start',
  title: "Start of a run in a sandbox, from `farhand run` to the agent's first word",
  peers: [],
  inMemory: true,
  async run(bench) {
    const big = planTree(bench.quick ? { files: 2_700, folders: 300, bytes: 30e6 } : bigTree)
    const many = big.files.length.toLocaleString('en-US')
    const entries = [
      startEntry(bench, 'process', `${many} files, process`, big),
      startEntry(bench, 'bubblewrap', `${many} files, bubblewrap`, big),
      startEntry(bench, 'process', '100 files, process', planTree(smallTree)),
    ]
    return {
      figures: await interleave(entries, bench.quick ? 1 : 3, bench.say),
      goals: [],
      notes: [
        "A git repository with one commit of all files, a hub that knows none of them, and the rehearsal agent. Each column is when that step was done, in seconds since the command was started; steps go on at the same time: the sandbox is made while files and history are on their way to the hub. What the hub logged is timed by its clock, the rest by the command's (`farhand run --timings`).",
      ],
    }
  },
}
