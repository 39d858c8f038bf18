import { hashOf } from '@farhand/client/blobs/sha256'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import {
  addressOf,
  createProject,
  createRun,
  createTask,
  listAgents,
  listAllRuns,
  listProjects,
} from '@farhand/client/resources/resources'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { fieldOfRefusal, type NewRunPlan } from './new-run-form.ts'
import { type NewRunSource, RunNotStarted } from './new-run-source.ts'

const patienceMs = 15_000

/** The new-run source of a real hub. */
export function hubNewRunSource(hub: Hub): NewRunSource {
  return {
    async offers(signal) {
      const options = { signal, patienceMs }
      const [here, projects, runs] = await Promise.all([
        listAgents(hub, options),
        listProjects(hub, options),
        listAllRuns(hub, { ...options, archived: false }),
      ])
      return { here, projects: projects.items, runs: runs.items }
    },
    async begin(plan, key) {
      try {
        return await begin(hub, plan, key)
      } catch (error) {
        throw notBegun(error)
      }
    },
  }
}

/**
 * Each step has an idempotency key made from the given key and the request: a retry continues where the last try
 * stopped, and a corrected form creates no second project of the same name.
 */
async function begin(hub: Hub, plan: NewRunPlan, key: string): Promise<RunAddress> {
  const keyed = async (step: string, asked: unknown) => {
    const hash = await hashOf(new TextEncoder().encode(JSON.stringify(asked)))
    return { key: `${key}-${step}-${hash.slice(-16)}`, patienceMs }
  }
  const project =
    'id' in plan.project
      ? plan.project.id
      : (await createProject(hub, plan.project, await keyed('project', plan.project))).id
  const title = { title: plan.title }
  const task = await createTask(hub, project, title, await keyed('task', [project, title]))
  const run = await createRun(hub, project, task.id, plan.run, await keyed('run', [task.id, plan.run]))
  for (const [nth, said] of plan.says.entries())
    await post(hub, addressOf(run), said, await keyed(`said-${nth}`, [run.id, said]))
  return addressOf(run)
}

function notBegun(error: unknown): RunNotStarted {
  if (!(error instanceof Refusal))
    return new RunNotStarted(
      'form',
      'The hub did not answer. Start it again: the run is started only once.',
      error,
    )
  const { field } = error.details
  return new RunNotStarted(fieldOfRefusal(error.saidCode, field), sentence(error.message), error)
}

const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
