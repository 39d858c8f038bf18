import { event } from '@farhand/protocol/events/event-names'
import type { NewRun } from '@farhand/protocol/schemas/api'
import { AllowedHost, SandboxTerms } from '@farhand/protocol/schemas/sandbox-terms'
import type { Notification } from '@farhand/protocol/wire/event'
import { ProjectId, RunId } from '@farhand/protocol/wire/ids'
import { type PolicyName, policyFor } from './permission-policies.ts'

/** The values of the form, as typed. */
export type NewRunForm = {
  /** The id of a project, or '' for a new one named `projectName`. */
  project: string
  projectName: string
  startsFrom: 'empty' | 'clone' | 'fork'
  cloneUrl: string
  cloneRef: string
  /** The run to fork, and the event to fork it after. */
  fork: { run: string; event: number } | null
  agent: string
  sandbox: string
  network: 'full' | 'none' | 'hosts'
  hosts: string
  setup: string
  idleMinutes: string
  mode: 'interactive' | 'background'
  policy: PolicyName
  prompt: string
}

export const emptyForm: NewRunForm = {
  project: '',
  projectName: '',
  startsFrom: 'empty',
  cloneUrl: '',
  cloneRef: '',
  fork: null,
  agent: '',
  sandbox: 'auto',
  network: 'full',
  hosts: '',
  setup: '',
  idleMinutes: '',
  mode: 'interactive',
  policy: 'ask',
  prompt: '',
}

/** A field of the form, or `form` if no single field is wrong. */
export type FieldName = keyof NewRunForm | 'form'
export type FieldTroubles = Partial<Record<FieldName, string>>

/** What to ask the hub for, in this order: a project and a task if they are new, a run, and its first events. */
export type NewRunPlan = {
  project: { id: ProjectId } | { name: string }
  title: string
  run: NewRun
  says: Notification[]
}

/** The requests for a form, or the problems by field. */
export function planRun(form: NewRunForm): { plan: NewRunPlan } | { troubles: FieldTroubles } {
  const troubles: FieldTroubles = {}
  const prompt = form.prompt.trim()
  if (prompt === '') troubles.prompt = 'Say what is to be done.'
  if (form.agent === '') troubles.agent = 'Choose an agent.'
  const project = projectOf(form)
  if (!project) troubles.projectName = 'Give the new project a name.'
  const fork = form.startsFrom === 'fork' ? forkOf(form) : undefined
  if (fork === null) troubles.fork = 'Choose the run to fork.'
  const terms = termsOf(form, troubles)
  if (Object.keys(troubles).length > 0 || !project || fork === null) return { troubles }
  const run: NewRun = {
    agent: form.agent,
    mode: form.mode,
    sandbox: form.sandbox,
    ...(Object.keys(terms).length > 0 && { terms }),
    ...(fork && { fork }),
  }
  const title = firstLine(prompt)
  // The policy has to come before the message: the agent may ask at once, and would ask the user otherwise.
  if (form.policy === 'ask') return { plan: { project, title, run: { ...run, prompt }, says: [] } }
  return { plan: { project, title, run, says: [policyOf(form), said(prompt)] } }
}

function projectOf({ project, projectName }: NewRunForm): NewRunPlan['project'] | null {
  const known = ProjectId.safeParse(project)
  if (known.success) return { id: known.data }
  const name = projectName.trim()
  return name === '' ? null : { name }
}

function forkOf({ fork }: NewRunForm): { run: RunId; event: number } | null {
  const run = RunId.safeParse(fork?.run)
  return run.success && fork ? { run: run.data, event: fork.event } : null
}

function termsOf(form: NewRunForm, troubles: FieldTroubles): SandboxTerms {
  const hosts = form.hosts.split(/[\s,]+/).filter((host) => host !== '')
  const strange = hosts.find((host) => !AllowedHost.safeParse(host).success)
  const isListed = form.network === 'hosts'
  if (isListed && hosts.length === 0) troubles.hosts = 'Name at least one host, or choose another network.'
  if (isListed && strange !== undefined)
    troubles.hosts = `${strange} is not a host: example.org, *.example.org or example.org:8080.`
  const idle = Number(form.idleMinutes.trim())
  if (form.idleMinutes.trim() !== '' && !(idle > 0 && idle <= 43_200))
    troubles.idleMinutes = 'Minutes: more than 0, 43200 at most.'
  const url = form.cloneUrl.trim()
  const isClone = form.startsFrom === 'clone'
  if (isClone && !SandboxTerms.shape.clone.safeParse({ url }).success)
    troubles.cloneUrl = 'An address that begins with https:// or http://.'
  const ref = form.cloneRef.trim()
  const setup = form.setup.trim()
  return {
    ...(form.network === 'none' && { network: 'none' as const }),
    ...(isListed && { network: { allow: hosts } }),
    ...(setup !== '' && { setup }),
    ...(form.idleMinutes.trim() !== '' && { idleMinutes: idle }),
    ...(isClone && { clone: { url, ...(ref !== '' && { ref }) } }),
  }
}

function policyOf({ mode, policy }: NewRunForm): Notification {
  const params = { mode, policy: policyFor(mode, policy) }
  return event('mode_change', params)
}

const said = (content: string) => event('user_message', { content })

/** The title of a task: the first line of the prompt, at most 200 characters. */
function firstLine(prompt: string): string {
  const line = prompt.split('\n', 1)[0]!.trim()
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}

const fields: Readonly<Record<string, FieldName>> = {
  name: 'projectName',
  agent: 'agent',
  mode: 'mode',
  sandbox: 'sandbox',
  prompt: 'prompt',
  title: 'prompt',
  fork: 'fork',
  'terms.network': 'hosts',
  'terms.setup': 'setup',
  'terms.idleMinutes': 'idleMinutes',
  'terms.clone.ref': 'cloneRef',
  'terms.clone': 'cloneUrl',
  'params.content': 'prompt',
  'params.policy': 'policy',
}

/** The field beside which to show an error of the hub, by its code and the field it names. */
export function fieldOfRefusal(code: string, field: string | undefined): FieldName {
  if (code === 'sandbox.refused') return 'sandbox'
  if (code === 'project.unknown') return 'project'
  if (code === 'run.unknown') return 'fork'
  const named = Object.keys(fields).find((name) => field === name || field?.startsWith(`${name}.`))
  return named === undefined ? 'form' : fields[named]!
}
