import type { GitCommit } from '@farhand/protocol/methods/git'
import { Forked } from '@farhand/protocol/methods/lifecycle'
import type { Console, PhaseComplete, PhaseStart } from '@farhand/protocol/methods/reports'
import type { StatusChange } from '@farhand/protocol/methods/session'
import { DeviceStart } from '@farhand/protocol/methods/settings'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { directText } from '../items/cut-text.ts'
import type { Item, MarkItem, NoticeItem } from '../items/story.ts'
import { asNumber, asObject, asText, isObject } from '../values/untyped-values.ts'
import { hideSandboxAddresses, hideSandboxAddressesOrNull } from './hide-sandbox-addresses.ts'
import { dropQueue } from './message-steps.ts'
import { markQuestionsGone } from './question-steps.ts'
import { addConsoleOutput } from './report-steps.ts'
import { rewind } from './rewind-steps.ts'
import { endShells } from './shell-steps.ts'
import { rawStep, type Step, type Steps } from './step.ts'
import type { StoryDraft } from './story-draft.ts'

type Mark = MarkItem['mark']

const placeOf = ({ madeIn }: StoryDraft, { place }: RunView) => place ?? madeIn

function mark(draft: StoryDraft, { id, timestamp }: SeenEvent, what: Mark, name?: string): void {
  draft.add({ kind: 'mark', id, at: timestamp, mark: what }, name)
}

function notice(draft: StoryDraft, event: SeenEvent, level: NoticeItem['level'], view: RunView): void {
  const message = directText(event.notification.params ?? {}, 'message')
  if (message === null) return
  const { until } = event.notification.params ?? {}
  const isTime = typeof until === 'string' && !Number.isNaN(Date.parse(until))
  const times = { id: event.id, at: event.timestamp, until: isTime ? until : null }
  // Cuts are positions in the original text.
  const text =
    message.cuts.length === 0 ? hideSandboxAddresses(message.text, placeOf(draft, view)) : message.text
  if (isObject(event.notification.params?.skipped)) addSkippedFile(draft, { ...times, ...message, text })
  else if (isTime) addRateLimit(draft, { kind: 'notice', level, ...times, ...message, text })
  else draft.add({ kind: 'notice', level, ...times, ...message, text })
}

/** Items that show that the agent has gone on and no longer waits. */
const workKinds: ReadonlySet<Item['kind']> = new Set([
  'words',
  'thought',
  'tool',
  'plan',
  'question',
  'turn-end',
])

/** A lasting rate limit is reported with each failed try, and shown once, with its latest end. */
function addRateLimit(draft: StoryDraft, said: NoticeItem): void {
  const before = draft.find('notice', 'limit')
  const since = draft.items.slice((draft.place('limit') ?? 0) + 1)
  if (before && !since.some(({ kind }) => workKinds.has(kind)))
    draft.replace('limit', { ...said, id: before.id, at: before.at })
  else draft.add(said, 'limit')
}

/** Files that a linked folder does not sync are reported one by one, and shown as one list. */
function addSkippedFile(draft: StoryDraft, said: Omit<NoticeItem, 'kind' | 'level'>): void {
  const before = draft.place('skips') === draft.items.length - 1 ? draft.find('notice', 'skips') : null
  if (before && before.cuts.length + said.cuts.length === 0)
    draft.replace('skips', { ...before, text: `${before.text}\n${said.text}` })
  else draft.add({ kind: 'notice', level: 'warn', ...said }, 'skips')
}

function commit(draft: StoryDraft, said: GitCommit, event: SeenEvent): void {
  const { kind = 'commit', sha, number, branch, message, upTo = event.id } = said
  if (kind === 'checkpoint' && number !== undefined) draft.checkpoints.set(upTo, number)
  if (kind === 'checkpoint') mark(draft, event, { is: 'checkpoint', number: number ?? null, sha, upTo })
  if (kind === 'commit')
    mark(draft, event, {
      is: 'commit',
      sha,
      by: event.by,
      branch: branch ?? null,
      message: message ?? null,
    })
}

/** The header shows most changes of state; these are the ones that the user asks about later. */
function status(draft: StoryDraft, { status, reason }: StatusChange, event: SeenEvent, view: RunView): void {
  const isTold = status === 'failed' || status === 'asleep' || (status === 'queued' && reason !== undefined)
  if (isTold)
    mark(draft, event, {
      is: 'status',
      status,
      reason: hideSandboxAddressesOrNull(reason ?? null, placeOf(draft, view)),
    })
}

const phaseName = (phase: string) => `phase ${phase}`

function beginPhase(draft: StoryDraft, { phase }: PhaseStart, event: SeenEvent): void {
  // Checkpoints are made every few minutes, and the agent does not wait for them.
  if (phase === 'checkpointing') return
  mark(draft, event, { is: 'phase', phase, state: 'running', ms: null, error: null }, phaseName(phase))
}

function endPhase(
  draft: StoryDraft,
  { phase, ok, ms, error }: PhaseComplete,
  event: SeenEvent,
  view: RunView,
): void {
  const ended: Mark = {
    is: 'phase',
    phase,
    state: ok === false ? 'failed' : 'done',
    ms: asNumber(ms),
    error: hideSandboxAddressesOrNull(asText(error) ?? asText(asObject(error).message), placeOf(draft, view)),
  }
  const begun = draft.find('mark', phaseName(phase))
  if (begun?.mark.is === 'phase' && begun.mark.state === 'running')
    draft.replace(phaseName(phase), { ...begun, mark: ended })
  else if (ok === false) mark(draft, event, ended)
}

const sessionStart: Step = (draft, event, view, before) => {
  draft.endWords()
  markQuestionsGone(draft, before, view, event.timestamp)
  // The first runner did not move from anywhere.
  const isMove = before.generation > 0 && view.place !== before.place && view.place !== null
  if (isMove) mark(draft, event, { is: 'moved', to: view.place! })
}

const device: Step = (draft, event) => {
  const said = DeviceStart.safeParse(event.notification.params ?? {}).data
  const id = 'id' in event.by ? event.by.id : event.by.kind
  const name = said?.name ?? null
  // A device that reconnects is no news.
  if (!said || draft.place(`device ${id} ${name}`) !== undefined) return
  mark(draft, event, { is: 'device', name, by: event.by }, `device ${id} ${name}`)
}

const fork: Step = (draft, event, view, before) => {
  const said = Forked.safeParse(event.notification.params ?? {}).data
  if (!said) return
  draft.endWords()
  dropQueue(draft)
  endShells(draft)
  markQuestionsGone(draft, before, view, event.timestamp)
  mark(draft, event, { is: 'forked', run: said.run, event: said.event })
}

/** Console levels that are shown as notices; programs log a lot below these. */
const levels: Readonly<Record<string, NoticeItem['level']>> = {
  warn: 'warn',
  warning: 'warn',
  error: 'error',
}

function report(draft: StoryDraft, said: Console, event: SeenEvent, view: RunView): void {
  const known = Object.hasOwn(levels, said.level) ? levels[said.level] : undefined
  if (known) notice(draft, event, known, view)
  addConsoleOutput(draft, said, event)
}

/** Pause and resume are requests; the mark shows the resulting state. */
const statusMark: Step = (draft, event, view, before) => {
  if (view.status !== before.status) mark(draft, event, { is: 'status', status: view.status, reason: null })
}

export const markSteps: Steps = {
  git_commit: commit,
  pr_created: (draft, { prUrl, branch = null, opened }, event) =>
    mark(draft, event, { is: 'pull-request', url: prUrl, branch, isOpened: opened !== false }),
  session_restored: (draft, { files = null, missing = [], ms = null }, event) =>
    mark(draft, event, { is: 'restored', files, missing, ms }),
  session_start: rawStep(sessionStart),
  status,
  pause: rawStep(statusMark),
  resume: rawStep(statusMark),
  phase_start: beginPhase,
  phase_complete: endPhase,
  rewind: rawStep(rewind),
  forked: rawStep(fork),
  moved: (draft, { sandbox }, event, view, before) => {
    if (view.place !== before.place) mark(draft, event, { is: 'moved', to: sandbox })
  },
  mode_change: (draft, { mode: to }, event, view, before) => {
    if (view.mode !== before.mode) mark(draft, event, { is: 'mode', of: 'run', mode: to, by: event.by })
  },
  cancel: rawStep((draft, event) => mark(draft, event, { is: 'cancelled', by: event.by })),
  session_close: (draft, { reason = null }, event) => {
    draft.endWords()
    mark(draft, event, { is: 'closed', reason })
  },
  device_start: rawStep(device),
  console: report,
  error: (draft, _, event, view) => notice(draft, event, 'error', view),
}
