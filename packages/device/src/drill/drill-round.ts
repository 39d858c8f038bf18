import { readFileSync } from 'node:fs'
import path from 'node:path'
import { sleep } from '@farhand/kit/sleep'
import { isEvent } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import { realPlace } from '../installed-agents/program-paths.ts'
import { Trouble } from '../trouble/trouble.ts'
import { type HeardEvent, keptFolderHint } from './drill-log.ts'
import type { DrillFile, DrillPrompts } from './drill-prompts.ts'
import { gitState, gitStateCommands } from './drill-repository.ts'
import type { DrillStage } from './drill-stage.ts'
import { differences, folderTree, treeHash } from './folder-tree.ts'
import { editLocally, folderBefore, wrongAfter } from './local-edits.ts'
import type { OwnCommand } from './own-command.ts'
import type { Victim } from './victims.ts'

export type Round = {
  round: number
  victim: Victim
  killed: number
  afterFile: number
  /** Milliseconds since the kill; null for a step that did not happen. */
  steps: {
    noticed: number | null
    sandbox: number | null
    files: number | null
    agent: number | null
    turn: number
  }
  /** How the agent resumed its conversation; null if it was never restarted. */
  how: string | null
  tree: { hash: string; files: number }
  recalled: string[]
}

export type RoundPlan = {
  round: number
  victim: Victim
  /** The kill comes `delayMs` after this many of the round's files are in the log. */
  afterFile: number
  delayMs: number
  /** The words to remember, by round. */
  words: ReadonlyMap<number, string>
  /** The rounds whose word the agent is asked for afterwards. */
  asks: readonly number[]
}

const turnMs = 180_000
const inStepMs = 60_000

export const filesOf = (round: number): DrillFile[] =>
  [1, 2, 3, 4].map((n) => ({ path: `drill/round-${round}/${n}.txt`, text: `round ${round}, file ${n}` }))

/**
 * Sends one message, kills the victim in the middle of the turn, and checks everything afterwards. Null if the agent
 * was done before the kill, as on a busy machine: then the round shows nothing.
 */
export async function drillRound(
  stage: DrillStage,
  plan: RoundPlan,
  words: DrillPrompts,
  command: OwnCommand,
): Promise<Round | null> {
  const { log } = stage
  const { round, victim } = plan
  const files = filesOf(round)
  const messageId = await stage.say('user_message', {
    content: words.work(round, plan.words.get(round)!, files),
  })
  const first = files[plan.afterFile - 1]!.path
  const file = await log.after(messageId, `the agent to write ${first}`, turnMs, (event) =>
    isChangeOf(event, first),
  )
  await sleep(plan.delayMs)
  const killedAt = performance.now()
  const lastIdBefore = log.lastId
  const killed = await stage.kill(victim)
  editLocally(stage.repository, round)
  const turn = await log.after(file.id, 'the turn to end', turnMs, (event) => isEndOf(event, messageId))
  const { stopReason, error } = turn.notification.params as { stopReason: string; error?: unknown }
  if (stopReason !== 'end_turn')
    throw new Trouble(
      'failed',
      `The turn ended with ${stopReason}: ${JSON.stringify(error ?? null)}`,
      keptFolderHint,
    )
  const open = unfinishedTools(log.events.map(({ notification }) => notification))
  if (open.length > 0)
    throw new Trouble('failed', `These tools have no end: ${open.join(', ')}.`, keptFolderHint)
  const lines = await inStep(stage, command)
  // Equal trees are not enough: all of them may have lost the same file.
  const wrong = wrongAfter(stage.was, round, lines)
  for (const file of files)
    if (textOf(stage.repository, file.path).trim() !== file.text)
      wrong.push(`${file.path} is not what the agent wrote`)
  if (wrong.length > 0)
    throw new Trouble('failed', `The trees are the same, and wrong:\n${wrong.join('\n')}`, keptFolderHint)
  stage.was = folderBefore(stage.repository, lines)
  await checkGit(stage, command)
  const recalled = []
  for (const asked of plan.asks) recalled.push(await recall(stage, asked, plan.words.get(asked)!, words))
  const since = (isLike: (event: HeardEvent) => boolean) => {
    const found = log.events.find((event) => event.id > lastIdBefore && event.id <= turn.id && isLike(event))
    return found ? Math.round(found.atMs - killedAt) : null
  }
  const start = log.events.find(
    ({ id, notification }) => id > lastIdBefore && id < turn.id && isEvent(notification, 'agent_start'),
  )
  // A killed agent has to be started again to end its turn: if none was, the turn was over before the kill.
  const isLate = victim === 'hub' ? turn.id <= lastIdBefore : !start
  if (isLate) return null
  return {
    round,
    victim,
    killed: killed.length,
    afterFile: plan.afterFile,
    steps: {
      noticed: since(({ notification }) => isEvent(notification, 'status', 'session_start', 'phase_start')),
      sandbox: since((event) => isPhase(event, 'provisioning')),
      files: since(({ notification }) => isEvent(notification, 'session_restored')),
      agent: since(({ notification }) => isEvent(notification, 'agent_start')),
      turn: Math.round(turn.atMs - killedAt),
    },
    how: (start?.notification.params?.how as string | undefined) ?? null,
    tree: { hash: treeHash(lines), files: lines.length },
    recalled,
  }
}

function textOf(root: string, file: string): string {
  try {
    return readFileSync(path.join(root, file), 'utf8')
  } catch {
    return ''
  }
}

const isPhase = ({ notification }: HeardEvent, phase: string) =>
  isEvent(notification, 'phase_complete') && notification.params?.phase === phase

function isChangeOf({ notification }: HeardEvent, path: string): boolean {
  if (!isEvent(notification, 'file_change')) return false
  const { params } = notification
  const files = (params?.files ?? [params]) as { path?: string }[]
  return files.some((file) => file.path === path)
}

const isEndOf = ({ notification }: HeardEvent, messageId: number) =>
  isEvent(notification, 'turn_complete') && notification.params?.messageId === messageId

/**
 * Waits until the local folder, the log and the sandbox have the same tree, and returns it. Throws if they never do.
 */
async function inStep(stage: DrillStage, command: OwnCommand): Promise<string[]> {
  for (const untilMs = performance.now() + inStepMs; ; await sleep(100)) {
    const inside = await treeInside(stage, command)
    const trees = { sandbox: inside, log: stage.log.tree(), folder: folderTree(stage.repository) }
    const different = differences(trees)
    if (different.length === 0) return inside
    if (performance.now() > untilMs)
      throw new Trouble('failed', `The trees differ:\n${different.join('\n')}`, keptFolderHint)
  }
}

async function treeInside(stage: DrillStage, command: OwnCommand): Promise<string[]> {
  // An installed command is called through a symlink that does not exist in the sandbox.
  const self = command.self.map((word) => `'${realPlace(word).replaceAll("'", "'\\''")}'`).join(' ')
  return await linesInside(stage, `${self} tree .`)
}

/** Compares HEAD, branch and index of the folder and the sandbox: there was no commit in either. */
async function checkGit(stage: DrillStage, command: OwnCommand): Promise<void> {
  const here = gitState(stage.repository, command.env)
  const inside = (
    await linesInside(stage, gitStateCommands.map((words) => `git ${words}`).join(' && '))
  ).sort()
  const different = differences({ sandbox: inside, folder: here })
  if (different.length > 0)
    throw new Trouble('failed', `Git says otherwise in the sandbox:\n${different.join('\n')}`, keptFolderHint)
}

/** Runs a command in the sandbox and returns the lines it prints. */
async function linesInside(stage: DrillStage, command: string): Promise<string[]> {
  const { log } = stage
  const id = `drill-${log.lastId}`
  const asked = await stage.say('shell', { command, id })
  const isOutput = ({ notification }: HeardEvent) =>
    isEvent(notification, 'sandbox_output') && notification.params?.id === id
  const isEnd = (event: HeardEvent) => isOutput(event) && event.notification.params?.exitCode !== undefined
  const end = await log.after(asked, 'what a command prints in the sandbox', turnMs, isEnd)
  const said = log.events.filter((event) => event.id > asked && event.id <= end.id && isOutput(event))
  const text = (name: 'stdout' | 'stderr') =>
    said.map(({ notification: { params } }) => params?.[name] ?? '').join('')
  if (end.notification.params?.exitCode !== 0)
    throw new Trouble('failed', `A command fails in the sandbox: ${text('stderr')}`, keptFolderHint)
  return text('stdout').split('\n').filter(Boolean)
}

async function recall(stage: DrillStage, round: number, word: string, words: DrillPrompts): Promise<string> {
  const { log } = stage
  const asked = await stage.say('user_message', { content: words.recall(round) })
  const end = await log.after(asked, 'the agent to recall a word', turnMs, (event) => isEndOf(event, asked))
  const said = log.events
    .filter(
      ({ id, notification: { method } }) => id > asked && id < end.id && method === 'agent_message_chunk',
    )
    .map(({ notification: { params } }) => params?.text)
    .join('')
  if (!said.toLowerCase().includes(word))
    throw new Trouble(
      'failed',
      `The agent was told "${word}" in round ${round}, and says: ${said}`,
      keptFolderHint,
    )
  return word
}

const ended = new Set<unknown>(['completed', 'failed'])

/** The ids of tool calls without an end. A tool that ran when its sandbox died must be reported as failed. */
export function unfinishedTools(events: readonly Pick<Notification, 'method' | 'params'>[]): string[] {
  const open = new Set<string>()
  for (const { method, params } of events) {
    if (method.startsWith('_')) continue
    const said = (method === 'session/update' ? params?.update : params) as
      | Record<string, unknown>
      | undefined
    const id = said?.toolCallId
    if (typeof id !== 'string') continue
    if (method === 'tool_result' || ended.has(said?.status)) open.delete(id)
    else open.add(id)
  }
  return [...open]
}
