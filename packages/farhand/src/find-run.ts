import type { Hub } from '@farhand/client/hub'
import { Refusal, Unreachable } from '@farhand/client/refusal'
import { addressOf, createProject, createRun, createTask, findRun } from '@farhand/client/resources'
import type { RunAddress } from '@farhand/protocol/routes'
import type { RunNamed } from './run-named.ts'
import { Trouble } from './trouble.ts'

/** Where the run is that someone named; a new one is made, in a project of that name. */
export async function findNamedRun(
  hub: Hub,
  named: RunNamed,
  newProject: string,
  signal: AbortSignal,
): Promise<RunAddress> {
  if (named.is === 'address') return named.at
  if (named.is === 'id') return addressOf(await findRun(hub, named.run, { signal, patienceMs: 5000 }))
  const project = await createProject(hub, { name: newProject }, { signal, patienceMs: 5000 })
  const task = await createTask(hub, project.id, { title: `Work in ${newProject}` }, { signal })
  return addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }, { signal }))
}

/** What the hub's "no", or its silence, means to a person; null if the error is about something else. */
export function hubTrouble(error: unknown, url: string, reopening?: string): Trouble | null {
  if (error instanceof Unreachable) {
    const next = 'Is it running? Give another one with --hub, or try again.'
    return new Trouble('failed', `The hub at ${url} does not answer: ${error.message}.`, next, error)
  }
  if (!(error instanceof Refusal)) return null
  if (error.remedy === 'sign-in')
    return new Trouble(
      'failed',
      `The hub at ${url} does not know this token.`,
      'Give another --token.',
      error,
    )
  if (error.code === 'runner.fenced' || error.code === 'producer.fenced')
    return new Trouble(
      'fenced',
      "Another folder, or a runner, has become the run's far side.",
      'There can be one. Link this folder again to take the seat back, or with --wins disk to work beside it.',
      error,
    )
  if (error.code === 'run.closed')
    return new Trouble(
      'runClosed',
      'The run is closed.',
      reopening ?? 'Link a folder to it with --reopen to open it again.',
      error,
    )
  if (error.code === 'run.unknown')
    return new Trouble(
      'failed',
      `There is no such run at ${url}, or it is not yours.`,
      'Look at --run.',
      error,
    )
  return new Trouble('failed', `The hub says: ${error.message}.`, `(${error.saidCode})`, error)
}
