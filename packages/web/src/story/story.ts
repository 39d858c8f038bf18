import type { Attachment } from '@farhand/protocol/methods/conversation'
import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'

/** What a run looks like to somebody who reads it: a fold of its log and of nothing else. */
export type Story = {
  /**
   * Oldest first, and messages that still wait at the end. An item that did not change is the same object as before; `id`
   * is the event that began it, and no other item has it. What a rewind took away is in its mark.
   */
  items: readonly Item[]
  view: RunView
  /** The newest event that is part of it. */
  lastId: number
  agent: AgentSide
  /** Messages that no turn has begun yet, oldest first; they can still be changed and taken back. */
  queue: readonly MessageItem[]
  /** What the turns have used so far, where the agent tells. */
  usage: Usage
}

/** What the agent of the run offers, as it last said. */
export type AgentSide = {
  name: string | null
  commands: readonly AgentCommand[]
  modes: readonly Choice[]
  mode: string | null
  options: readonly ConfigOption[]
  /** Whether it hears what is said into a turn; null until it has said what it can. */
  hearsSteering: boolean | null
}
export type AgentCommand = { name: string; description: string; hint: string | null }
export type Choice = { id: string; name: string; description: string | null }
export type ConfigOption = { id: string; name: string; value: string; choices: readonly Choice[] }

export type Usage = {
  inputTokens: number | null
  outputTokens: number | null
  /** Of what the agent can remember at once: how much is used, and how much there is. */
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
  /** `joined`: said into a turn that was under way. */
  state: 'waiting' | 'taken' | 'joined' | 'over' | 'withdrawn'
  isSteering: boolean
}

/** A text that may be too long for a log: of each of its `cuts` only the beginning is in `text` (W24). */
export type CutText = { text: string; cuts: readonly Cut[] }
/** Between `from` and `to` is the beginning of what lies in a blob; `size` is how many bytes that is. */
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
  /** Paths in the workspace that it is about, each with a line where it said one. */
  places: readonly { path: string; line: number | null }[]
  command: string | null
  exitCode: number | null
  input: unknown
  output: unknown
  endedAt: string | null
  /** For how long it waited for a person, up to now or up to when it waits again. */
  waitedMs: number
  /** Since when it waits for a person; null: it does not. */
  waitsSince: string | null
  /** The folder in which its agent works, as the agent calls it; null where nobody said so. */
  workspace: string | null
  /** A question about this very call: its buttons stand inside the card. */
  question: QuestionItem | null
}
export type ToolContent =
  | { is: 'text'; text: string }
  | { is: 'diff'; path: string; before: string | null; after: string }
  | { is: 'image'; image: ContentImage }
  | { is: 'link'; name: string; uri: string }
  /** A long text that lies in a blob: its beginning is here (W24). */
  | { is: 'blob'; head: string; hash: string; size: number; isJson: boolean }

export type PlanItem = Begun & { kind: 'plan'; steps: readonly PlanStep[]; changedAt: string }
export type PlanStep = {
  text: string
  status: 'pending' | 'in_progress' | 'completed'
  priority: string | null
}

/** Its text is that of `asked`, which does not say whether it is all of it. */
export type QuestionItem = Begun &
  CutText & {
    kind: 'question'
    asked: OpenQuestion
    state: 'open' | 'given' | 'answered' | 'expired' | 'cancelled' | 'superseded' | 'gone'
    answer: unknown
    /** Who answered: an author of the log, or what decided in place of a person. */
    answeredBy: SeenAuthor | string | null
    why: string | null
  }

/** A command that somebody had run in the workspace. */
export type ShellItem = Begun & {
  kind: 'shell'
  call: string
  by: SeenAuthor
  command: string
  output: readonly (CutText & { isError: boolean })[]
  exitCode: number | null
  isOver: boolean
}

/** Files that changed one after the other with nothing else between, by the same side. */
export type FilesItem = Begun & {
  kind: 'files'
  by: SeenAuthor
  files: readonly ChangedPath[]
}

/** `from`: what a file that was renamed was called before. */
export type ChangedPath =
  | { path: string; action: 'created' | 'modified' | 'deleted' }
  | { path: string; action: 'renamed'; from: string }

export type TurnEndItem = Begun & {
  kind: 'turn-end'
  messageId: number
  stopReason: string
  startedAt: string
  usage: Usage | null
  /** What the agent, or its runner, said of a turn that failed. */
  error: string | null
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
     * `taken`: what is not said any more since then, as far as no later rewind brought it back, and what happened to files
     * in that part; `before`: the last event before the rewind and the files that it put back. To go there undoes it.
     */
    | { is: 'rewind'; to: number; where: RewindTo; before: number; taken: readonly Item[] }
    | { is: 'forked'; run: string; event: number }
    | { is: 'moved'; to: string }
    | { is: 'mode'; mode: string; by: SeenAuthor }
    | { is: 'cancelled'; by: SeenAuthor }
    | { is: 'closed'; reason: string | null }
    | { is: 'device'; name: string | null; by: SeenAuthor }
}

/** The moment that a rewind went back to, as people would name it. */
export type RewindTo =
  | { is: 'before' | 'turn' | 'forward'; said: string }
  | { is: 'checkpoint'; number: number }
  | { is: 'undone' | 'beginning' }

/** `until`: when what it tells of is over, such as a rate limit. */
export type NoticeItem = Begun &
  CutText & { kind: 'notice'; level: 'info' | 'warn' | 'error'; until: string | null }
