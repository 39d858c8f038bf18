import type { Run } from '@farhand/protocol/schemas/api'
import { Fault } from '@farhand/protocol/wire/faults'
import { ProjectId, RunId, TaskId, type UserId } from '@farhand/protocol/wire/ids'
import { mayUseProject, mayUseRun } from '../access/may.ts'
import type { Principal } from '../access/principal.ts'
import { findProject } from '../store/projects.ts'
import { findRun } from '../store/runs.ts'
import type { Db } from '../store/tables.ts'
import { findTask } from '../store/tasks.ts'

export type OwnedRun = Run & { owner: UserId }
type Names = Readonly<Record<string, string | undefined>>

const mostRemembered = 10_000

/** Finds the project, task or run that a path names, if the caller may use it; for others it does not exist (W2). */
export class RunDirectory {
  readonly #db: Db
  // A cached run never changes, except for where it works (see `forget`).
  readonly #runs = new Map<string, OwnedRun>()

  constructor(db: Db) {
    this.#db = db
  }

  /** Must be called when a run was changed. */
  forget(run: RunId): void {
    this.#runs.delete(run)
  }

  async project(who: Principal, names: Names) {
    const id = ProjectId.safeParse(names.project)
    const project = id.success ? await findProject(this.#db, id.data) : null
    if (!project || !mayUseProject(who, project))
      throw new Fault('project.unknown', 'there is no such project')
    return project
  }

  async task(who: Principal, names: Names) {
    const project = await this.project(who, names)
    const id = TaskId.safeParse(names.task)
    const task = id.success ? await findTask(this.#db, project.id, id.data) : null
    if (!task) throw new Fault('task.unknown', 'there is no such task in this project')
    return task
  }

  /** As `run`, without a promise, for a cached run; undefined if it has to be looked up. */
  known(who: Principal, names: Names): OwnedRun | undefined {
    const known = this.#runs.get(names.run ?? '')
    if (!known || known.project !== names.project || known.task !== names.task) return undefined
    return mayUseRun(who, known) ? known : undefined
  }

  async run(who: Principal, names: Names): Promise<OwnedRun> {
    const run = await this.#find(names)
    if (!run || !mayUseRun(who, run)) throw new Fault('run.unknown', 'there is no such run in this task')
    return run
  }

  /** As `run`, in any project and task. */
  async anyRun(who: Principal, names: Names): Promise<OwnedRun> {
    const id = RunId.safeParse(names.run)
    const run = id.success ? await findRun(this.#db, { run: id.data }) : null
    if (!run || !mayUseRun(who, run)) throw new Fault('run.unknown', 'there is no such run')
    return run
  }

  async #find(names: Names): Promise<OwnedRun | null> {
    const project = ProjectId.safeParse(names.project)
    const task = TaskId.safeParse(names.task)
    const run = RunId.safeParse(names.run)
    if (!project.success || !task.success || !run.success) return null
    const found = await findRun(this.#db, { project: project.data, task: task.data, run: run.data })
    if (found) {
      if (this.#runs.size >= mostRemembered) this.#runs.clear()
      this.#runs.set(found.id, found)
    }
    return found
  }
}
