import type { Project, Run } from '@farhand/protocol/schemas/api'
import { Fault, type FaultCode } from '@farhand/protocol/wire/faults'
import { ProjectId, RunId, TaskId, type UserId } from '@farhand/protocol/wire/ids'
import type { ProjectRole, Right } from '@farhand/protocol/wire/project-role'
import { type Decision, mayInProject, mayInRun } from '../access/may.ts'
import type { Principal } from '../access/principal.ts'
import { rolesIn } from '../access/project-members.ts'
import { findProject } from '../store/projects.ts'
import { findRun } from '../store/runs.ts'
import type { Db } from '../store/tables.ts'
import { findTask } from '../store/tasks.ts'

/** A run, and the user who started it: the limits of this user count. */
export type OwnedRun = Run & { owner: UserId }

/** Who asks, what the path names, and what the request needs (W110). Every request has these. */
export type Asked = {
  who: Principal | null
  params: Readonly<Record<string, string | undefined>>
  needs: Right
}

type Roles = ReadonlyMap<UserId, ProjectRole>

const mostRemembered = 10_000

/**
 * Finds the project, task or run that a path names, if the caller may do there what the request needs (W110); for callers who may not
 * see it, it does not exist (W2).
 */
export class RunDirectory {
  readonly #db: Db
  // A cached run never changes, except for where it works (see `forget`).
  readonly #runs = new Map<string, OwnedRun>()
  readonly #roles = new Map<ProjectId, Roles>()
  /** How often roles were forgotten. */
  #forgotten = 0

  constructor(db: Db) {
    this.#db = db
  }

  /** Must be called when a run was changed. */
  forget(run: RunId): void {
    this.#runs.delete(run)
  }

  /** Must be called when the users of a project, or their roles, were changed. */
  forgetRoles(project: ProjectId): void {
    this.#roles.delete(project)
    this.#forgotten += 1
  }

  async project(asked: Asked): Promise<Project> {
    const { who, params, needs } = asked
    const id = ProjectId.safeParse(params.project)
    const project = id.success ? await findProject(this.#db, id.data) : null
    const role = project && (await this.#roleOf(who!, project.id))
    check(project ? mayInProject(who!, role, needs) : 'hidden', needs, [
      'project.unknown',
      'there is no such project',
    ])
    return { ...project!, role: role! }
  }

  async task(asked: Asked) {
    const project = await this.project(asked)
    const id = TaskId.safeParse(asked.params.task)
    const task = id.success ? await findTask(this.#db, project.id, id.data) : null
    if (!task) throw new Fault('task.unknown', 'there is no such task in this project')
    return task
  }

  /** As `run`, without a promise, for a cached run; undefined if it has to be looked up, or the caller may not do this. */
  known({ who, params, needs }: Asked): OwnedRun | undefined {
    const known = this.#runs.get(params.run ?? '')
    if (!known || known.project !== params.project || known.task !== params.task) return undefined
    const roles = who!.kind === 'user' ? this.#roles.get(known.project) : noRoles
    if (!roles) return undefined
    return mayInRun(who!, known, roleIn(roles, who!), needs) === 'yes' ? known : undefined
  }

  async run(asked: Asked): Promise<OwnedRun> {
    return this.#checked(await this.#find(asked.params), asked, 'there is no such run in this task')
  }

  /** Whether the caller, for whom this run was found just now, may also do what this request needs. */
  async may({ who, needs }: Pick<Asked, 'who' | 'needs'>, run: OwnedRun): Promise<boolean> {
    const role = await this.#roleOf(who!, run.project)
    return mayInRun(who!, run, role, needs) === 'yes'
  }

  /** As `run`, in any project and task. */
  async anyRun(asked: Asked): Promise<OwnedRun> {
    const id = RunId.safeParse(asked.params.run)
    const run = id.success ? await findRun(this.#db, { run: id.data }) : null
    return this.#checked(run, asked, 'there is no such run')
  }

  async #checked(run: OwnedRun | null, { who, needs }: Asked, none: string): Promise<OwnedRun> {
    const role = run && (await this.#roleOf(who!, run.project))
    check(run ? mayInRun(who!, run, role, needs) : 'hidden', needs, ['run.unknown', none])
    return run!
  }

  async #roleOf(who: Principal, project: ProjectId): Promise<ProjectRole | null> {
    if (who.kind !== 'user') return null
    const known = this.#roles.get(project)
    if (known) return roleIn(known, who)
    const before = this.#forgotten
    const roles = await rolesIn(this.#db, project)
    if (this.#roles.size >= mostRemembered) this.#roles.clear()
    // A user may have been removed during the lookup: then the answer must not be cached.
    if (before === this.#forgotten) this.#roles.set(project, roles)
    return roleIn(roles, who)
  }

  async #find(names: Asked['params']): Promise<OwnedRun | null> {
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

const noRoles: Roles = new Map()

const roleIn = (roles: Roles, who: Principal): ProjectRole | null =>
  who.kind === 'user' ? (roles.get(who.user) ?? null) : null

const refusals: Record<Right, string> = {
  view: 'you may not see this',
  work: 'you may see this project, not work in it; ask its owner to make you a member',
  own: 'only the owner of this project may do this',
}

function check(decision: Decision, needs: Right, [code, none]: [FaultCode, string]): void {
  if (decision === 'hidden') throw new Fault(code, none)
  if (decision === 'refused') throw new Fault('role.refused', refusals[needs])
}
