import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RunAddress } from '../../../packages/protocol/src/wire/routes.ts'
import { type Child, printedJson } from '../children.ts'
import { node } from '../node-program.ts'
import type { Bench } from '../row.ts'
import { type Hub, newRun } from './hub.ts'

/** What `farhand runner` hosts, and what the floor speaks to without any runner: the same program. */
export const agentOf = (bench: Bench): [string, ...string[]] => [node, bench.hubEntry, 'agent', 'rehearsal']

export type HostedRun = { runner: Child; at: RunAddress }

/** A new run and a runner for it, as a user would start one. */
export async function startHosted(bench: Bench, hub: Hub, name: string): Promise<HostedRun> {
  const { post } = await newRun(hub)
  const [, project, task, run] = /projects\/(\w+)\/tasks\/(\w+)\/runs\/(\w+)\//.exec(post.path) as string[]
  const [workspace, state] = [join(bench.folder, `${name}-work`), join(bench.folder, `${name}-state`)]
  for (const folder of [workspace, state]) mkdirSync(folder)
  const where = [
    '--run',
    `${project}/${task}/${run}`,
    '--hub',
    hub.url,
    '--token',
    hub.token,
    '--state',
    state,
  ]
  const what = ['--agent', 'rehearsal', '--workspace', workspace, '--json']
  const runner = bench.children.start(node, [bench.hubEntry, 'runner', ...where, ...what])
  await printedJson(runner, (line) => (line.event === 'hosting' ? true : null))
  return { runner, at: { project, task, run } as RunAddress }
}
