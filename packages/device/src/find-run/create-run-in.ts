import type { CallOptions } from '@farhand/client/requests/call'
import type { Hub } from '@farhand/client/requests/hub'
import { createProject, createRun, createTask } from '@farhand/client/resources/resources'
import type { NewRun, Run } from '@farhand/protocol/schemas/api'
import { patienceMs } from '../requests/patience-ms.ts'
import { projectNamed } from './project-named.ts'

/** Makes a run in the project of this name, which is made if there is none, with a task of this title. */
export async function createRunIn(
  hub: Hub,
  { project: name, title }: { project: string; title: string },
  run: NewRun,
  signal: AbortSignal,
): Promise<Run> {
  const options: CallOptions = { signal, patienceMs }
  const found = await projectNamed(hub, name, signal)
  const project = found ?? (await createProject(hub, { name }, options))
  const task = await createTask(hub, project.id, { title }, options)
  return await createRun(hub, project.id, task.id, run, options)
}
