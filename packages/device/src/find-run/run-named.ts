import type { Hub } from '@farhand/client/requests/hub'
import { addressOf, createProject, createRun, createTask, findRun } from '@farhand/client/resources/resources'
import { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { patienceMs } from '../requests/patience-ms.ts'
import { Trouble } from '../trouble/trouble.ts'

/** A run as the user names it: a new one, its id, or its whole address. */
export type RunNamed = { is: 'new' } | { is: 'id'; run: RunId } | { is: 'address'; at: RunAddress }

/** Reads `new`, `run_...`, `prj_.../tsk_.../run_...`, or a path or address of the hub that holds these three. */
export function runNamed(text: string): RunNamed {
  if (text === 'new') return { is: 'new' }
  const run = RunId.safeParse(text)
  if (run.success) return { is: 'id', run: run.data }
  const parts = text.split('/')
  const of = (prefix: string) => parts.find((part) => part.startsWith(prefix))
  const ids = {
    project: ProjectId.safeParse(of('prj_')).data,
    task: TaskId.safeParse(of('tsk_')).data,
    run: RunId.safeParse(of('run_')).data,
  }
  const { project, task } = ids
  if (project && task && ids.run) return { is: 'address', at: { project, task, run: ids.run } }
  throw new Trouble(
    'usage',
    `--run is ${JSON.stringify(text)}, which names no run.`,
    'It takes the id of a run (run_...), prj_.../tsk_.../run_..., or the word new.',
  )
}

/** The address of the run that the user named; a new one is made, in the project `newProject`. */
export async function findNamedRun(
  hub: Hub,
  named: RunNamed,
  newProject: string,
  signal: AbortSignal,
): Promise<RunAddress> {
  if (named.is === 'address') return named.at
  if (named.is === 'id') return addressOf(await findRun(hub, named.run, { signal, patienceMs }))
  const project = await createProject(hub, { name: newProject }, { signal, patienceMs })
  const task = await createTask(hub, project.id, { title: `Work in ${newProject}` }, { signal })
  return addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }, { signal }))
}
