import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, printedJson } from '../children.ts'
import { node } from '../node-program.ts'
import type { Bench } from '../row.ts'
import type { FolderSync } from './folder-sync.ts'
import { type Hub, newRun, startHub } from './hub.ts'

export type Side = 'disk' | 'log'

export type LinkPlan = {
  hub: Hub
  run: string
  folder: string
  wins: Side
  more?: readonly string[]
  /** A module that Node loads first. */
  preload?: string
}

/** Starts `farhand link` as a user would. Each side has a state folder of its own, as if on another machine. */
export function startLink(bench: Bench, { hub, run, folder, wins, more = [], preload }: LinkPlan): Child {
  const state = `${folder}.state`
  mkdirSync(state, { recursive: true })
  const where = ['--run', run, '--hub', hub.url, '--token', hub.token, '--state', state]
  const first = preload === undefined ? [] : ['--import', preload]
  const args = [...first, bench.hubEntry, 'link', folder, ...where, '--wins', wins, '--json', ...more]
  return bench.children.start(node, args, preload === undefined ? {} : { extra: ['ipc'] })
}

/** Resolves when the link says for the first time that folder and run are the same; rejects if it ends before. */
export function inStep(link: Child, everyMs?: number): Promise<true> {
  return printedJson(link, (line) => (line.event === 'in-step' ? true : null), { everyMs, limitMs: 120_000 })
}

/** Does what needs these links. Its signal is aborted when one of them ends meanwhile, and says why it did. */
export async function whileLinked<T>(
  links: readonly Child[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  const give = links.map((link) => {
    const up = () => ended.abort(new Error(`a link ended: ${link.output().slice(-300).trim()}`))
    link.process.once('exit', up)
    return () => link.process.off('exit', up)
  })
  try {
    return await work(ended.signal)
  } finally {
    for (const back of give) back()
  }
}

/** A linked pair on a run of its own: `a` as a person's folder, `b` as an agent's. */
export async function linkPair(
  bench: Bench,
  hub: Hub,
  a: string,
  b: string,
  plan: Partial<Pick<LinkPlan, 'more' | 'preload'>> = {},
): Promise<{ run: string; links: [Child, Child]; stop(): Promise<void> }> {
  const { id: run } = await newRun(hub)
  const links: [Child, Child] = [
    startLink(bench, { hub, run, folder: a, wins: 'disk', ...plan }),
    startLink(bench, { hub, run, folder: b, wins: 'log', ...plan }),
  ]
  await Promise.all(links.map((link) => inStep(link)))
  const stop = async () => {
    await Promise.all(links.map((link) => link.stop()))
  }
  return { run, links, stop }
}

/** Ours: two links and the hub between them, real processes of the built command. */
export function farhand(bench: Bench, hub: Hub): FolderSync {
  return {
    name: 'farhand',
    twoWay: true,
    async start(a, b) {
      const { links, stop } = await linkPair(bench, hub, a, b)
      return { pids: [hub.child.pid, ...links.map((link) => link.pid)], stop }
    },
  }
}

export function hubInMemory(bench: Bench): Promise<Hub> {
  return startHub(bench, join(bench.folder, 'hub'))
}
