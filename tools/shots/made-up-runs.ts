import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { RunnerProcess } from '@farhand/e2e/drills/turn-drill/runner-process'
import type { WebStage } from '@farhand/e2e/web/web-stage'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { loginScenes, otherScenes } from './other-scenes.ts'
import { priceScenes } from './price-scenes.ts'
import type { Scenes } from './scene.ts'

const agent = fileURLToPath(new URL('played-agent.mjs', import.meta.url))

/** Runs as a user might have them after a day; the caller ends their runners. */
export type MadeUpRuns = {
  price: RunAddress
  login: RunAddress
  /** What each is made of, by its id. */
  scenes: ReadonlyMap<string, Scenes>
  end(): Promise<void>
}

export async function madeUpRuns(stage: WebStage): Promise<MadeUpRuns> {
  // The newest stands first in a list.
  const all = [...otherScenes, loginScenes, priceScenes].sort((a, b) => b.minutesAgo - a.minutesAgo)
  const projects = new Map<string, ProjectId>()
  const made = new Map<Scenes, RunAddress>()
  for (const scenes of all) {
    const { project, title, agent } = scenes
    const id = projects.get(project) ?? (await createProject(stage.hub, { name: project })).id
    projects.set(project, id)
    const task = await createTask(stage.hub, id, { title })
    made.set(scenes, addressOf(await createRun(stage.hub, id, task.id, { sandbox: 'none', agent })))
  }
  const runners = await Promise.all([...made].map(([scenes, at]) => hosted(stage, at, scenes)))
  await Promise.all([...made].map(([scenes, at]) => played(stage, at, scenes)))
  return {
    price: made.get(priceScenes)!,
    login: made.get(loginScenes)!,
    scenes: new Map([...made].map(([scenes, { run }]) => [run, scenes])),
    end: async () => void (await Promise.all(runners.map((runner) => runner.kill()))),
  }
}

async function hosted(stage: WebStage, at: RunAddress, scenes: Scenes): Promise<RunnerProcess> {
  const [state, workspace] = [stage.stateOf(at), stage.workspaceOf(at)]
  mkdirSync(state)
  mkdirSync(workspace)
  const script = path.join(state, 'scenes.json')
  writeFileSync(script, JSON.stringify(scenes))
  const { agent: id } = scenes
  const entry = { id, name: id, command: process.execPath, args: [agent, script] }
  writeFileSync(path.join(state, 'agents.json'), JSON.stringify([entry]))
  const settings = ['--agent', id]
  const runner = new RunnerProcess({ run: at.run, hub: stage.hub, workspace, state, settings })
  await runner.spawn()
  return runner
}

async function played(stage: WebStage, at: RunAddress, scenes: Scenes): Promise<void> {
  await fill(stage, at, scenes.files ?? {})
  const last = scenes.turns.at(-1)
  for (const turn of scenes.turns)
    if (turn === last && (scenes.ends === 'asks' || scenes.ends === 'works'))
      await left(stage, at, turn.message, scenes.ends)
    else await stage.turn(at, turn.message)
}

/** Puts files into the workspace, and waits until the hub has them: what comes later has changed since. */
async function fill(stage: WebStage, at: RunAddress, files: Readonly<Record<string, string>>): Promise<void> {
  const paths = new Set(Object.keys(files))
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(stage.workspaceOf(at), name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  if (paths.size === 0) return
  await stage.until(at, 0, ({ notification: { method, params } }) => {
    if (method !== '_posthog/file_change') return false
    for (const { path: name } of (params?.files ?? [params]) as { path: string }[]) paths.delete(name)
    return paths.size === 0
  })
}

/** Says something and leaves the agent with it. */
async function left(stage: WebStage, at: RunAddress, message: string, ends: 'asks' | 'works'): Promise<void> {
  const id = await stage.say(at, message)
  const method = ends === 'asks' ? '_posthog/agent_question' : 'tool_result'
  await stage.until(at, id, ({ notification }) => notification.method === method)
}
