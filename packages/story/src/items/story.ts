import type { TaskState } from '@farhand/protocol/delegated/task-state'
import type { Attachment } from '@farhand/protocol/methods/conversation'
import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'

/** What users read of a run: a fold of its log, and of nothing else. */
export type Story = {
  /**
   * Oldest first, with waiting messages at the end. An unchanged item is the same object as before; `id` is the
   * event that started it, and is unique. Items that a rewind removed are in its mark.
   */
  items: readonly Item[]
  view: RunView
  /** The state of the run as a task that a program has delegated (W83); it means nothing for other runs. */
  task: StoryTask
  /** The newest event that it includes. */
  lastId: number
  agent: AgentSide
  /** Messages that no turn has started, oldest first; they can still be changed and withdrawn. */
  queue: readonly MessageItem[]
  /** The total usage of all turns, if the agent reports it. */
  usage: Usage
}

/** `result`: what came of it, once it is over. */
export type StoryTask = TaskState & { result: string | null }

/** What the agent of the run offers, as it last reported. */
export type AgentSide = {
  name: string | null
  commands: readonly AgentCommand[]
  modes: readonly Choice[]
  mode: string | null
  options: readonly ConfigOption[]
  /** Whether the agent accepts messages during a turn; null until it has reported its capabilities. */
  hearsSteering: boolean | null
}
export type AgentCommand = { name: string; description: string; hint: string | null }
export type Choice = { id: string; name: string; description: string | null }
export type ConfigOption = { id: string; name: string; value: string; choices: readonly Choice[] }

export type Usage = {
  inputTokens: number | null
  outputTokens: number | null
  /** The agent's context window: how much is used, and how large it is. */
  context: { used: number; size: number } | null
  costUsd: number | null
}

type Begun = { id: number; at: string }

export type Item =
  | MessageItem
  | WordsItem
  | ThoughtItem
  | ToolItem
  | PlanItem
  | QuestionItem
  | ShellItem
  | FilesItem
  | TurnEndItem
  | MarkItem
  | NoticeItem

export type MessageItem = Begun & {
  kind: 'message'
  by: SeenAuthor
  text: string
  attachments: readonly Attachment[]
  /** `joined`: sent into a running turn. */
  state: 'waiting' | 'taken' | 'joined' | 'over' | 'withdrawn'
  isSteering: boolean
}

/** A text that may be too long for a log: of each of its `cuts`, `text` has only the beginning (W24). */
export type CutText = { text: string; cuts: readonly Cut[] }
/** `text` from `from` to `to` is the beginning of a blob of `size` bytes. */
export type Cut = { from: number; to: number; hash: string; size: number }

/** Text of the agent; it grows while `isOpen`. */
export type WordsItem = Begun &
  CutText & {
    kind: 'words'
    isOpen: boolean
    images: readonly ContentImage[]
  }
export type ThoughtItem = Begun & CutText & { kind: 'thought'; isOpen: boolean; endedAt: string }
export type ContentImage = { mimeType: string; data: string }

export type ToolItem = Begun & {
  kind: 'tool'
  call: string
  title: string
  /** As in ACP: read, edit, delete, move, search, execute, think, fetch, switch_mode, other. */
  what: string
  status: 'pending' | 'in_progress' | 'completed' | 'failed'
  content: readonly ToolContent[]
  /** Paths that the call is about, with a line number if the agent gave one. */
  places: readonly { path: string; line: number | null }[]
  command: string | null
  exitCode: number | null
  input: unknown
  output: unknown
  endedAt: string | null
  /** How long the call has waited for the user, without the current wait. */
  waitedMs: number
  /** The start of the current wait for the user; null: it does not wait. */
  waitsSince: string | null
  /** The working folder of the agent, as the agent calls it; null if unknown. */
  workspace: string | null
  /** A question about this call: its buttons are shown inside the card. */
  question: QuestionItem | null
  /**
   * For a report from outside the conversation, which is no call: its text without what only helps to find faults, how
   * long that has been in all, as only the end is kept, and whether it makes no sense without its title.
   */
  report: { text: string; length: number; isTitled: boolean } | null
}
export type ToolContent =
  | { is: 'text'; text: string }
  | { is: 'diff'; path: string; before: string | null; after: string }
  | { is: 'image'; image: ContentImage }
  | { is: 'link'; name: string; uri: string }
  /** A long text in a blob, with its beginning (W24). */
  | { is: 'blob'; head: string; hash: string; size: number; isJson: boolean }

export type PlanItem = Begun & { kind: 'plan'; steps: readonly PlanStep[]; changedAt: string }
export type PlanStep = {
  text: string
  status: 'pending' | 'in_progress' | 'completed'
  priority: string | null
}

/** Its text is that of `asked`, with its cuts. */
export type QuestionItem = Begun &
  CutText & {
    kind: 'question'
    asked: OpenQuestion
    state: 'open' | 'given' | 'answered' | 'expired' | 'cancelled' | 'superseded' | 'gone'
    answer: unknown
    /** Who answered: an author of the log, or the name of a rule that answered for the user. */
    answeredBy: SeenAuthor | string | null
    why: string | null
  }

/** A shell command that a user ran in the workspace. */
export type ShellItem = Begun & {
  kind: 'shell'
  call: string
  by: SeenAuthor
  command: string
  output: readonly (CutText & { isError: boolean })[]
  exitCode: number | null
  isOver: boolean
}

/** Consecutive file changes by the same author. */
export type FilesItem = Begun & {
  kind: 'files'
  by: SeenAuthor
  files: readonly ChangedPath[]
}

/** `from`: the old path of a renamed file. */
export type ChangedPath =
  | { path: string; action: 'created' | 'modified' | 'deleted' }
  | { path: string; action: 'renamed'; from: string }

export type TurnEndItem = Begun & {
  kind: 'turn-end'
  messageId: number
  stopReason: string
  startedAt: string
  usage: Usage | null
  /** What the agent or its runner said about a failed turn, and the agent's own text if that is another one. */
  error: string | null
  raw: string | null
}

/** Something that happened to the run as a whole. */
export type MarkItem = Begun & {
  kind: 'mark'
  mark: /** It has the files as they were after the event `upTo`. */
    | { is: 'checkpoint'; number: number | null; sha: string; upTo: number }
    | { is: 'restored'; files: number | null; missing: readonly string[]; ms: number | null }
    | {
        is: 'commit'
        sha: string
        by: SeenAuthor
        branch: string | null
        message: string | null
      }
    | { is: 'pull-request'; url: string; branch: string | null; isOpened: boolean }
    | { is: 'status'; status: string; reason: string | null }
    | { is: 'agent'; agent: string; how: 'new' | 'loaded' | 'resumed' | 'briefed' }
    | {
        is: 'phase'
        phase: string
        state: 'running' | 'done' | 'failed'
        ms: number | null
        error: string | null
      }
    /**
     * `taken`: the items that this rewind removed and no later rewind brought back, with the file changes of that
     * part; `before`: the last event before the rewind and its file changes. A rewind to `before` undoes it.
     */
    | { is: 'rewind'; to: number; where: RewindTo; before: number; taken: readonly Item[] }
    | { is: 'forked'; run: string; event: number }
    | { is: 'moved'; to: string }
    | { is: 'mode'; of: 'run' | 'agent'; mode: string; by: SeenAuthor }
    | { is: 'cancelled'; by: SeenAuthor }
    | { is: 'closed'; reason: string | null }
    | { is: 'device'; name: string | null; by: SeenAuthor }
}

/** The point that a rewind went back to, as the user would name it. */
export type RewindTo =
  | { is: 'before' | 'turn' | 'forward'; said: string }
  | { is: 'checkpoint'; number: number }
  | { is: 'undone' | 'beginning' }

/** `until`: when the reported condition ends, for example a rate limit. */
export type NoticeItem = Begun &
  CutText & { kind: 'notice'; level: 'info' | 'warn' | 'error'; until: string | null }
