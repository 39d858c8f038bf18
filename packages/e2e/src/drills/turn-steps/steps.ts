/** When a step can be noticed: on its way to the hub, stored but not yet confirmed to its sender, or read by another process. */
export const ways = ['leaving', 'stored', 'seen'] as const
export type Way = (typeof ways)[number]

export const victims = ['runner', 'agent', 'hub', 'client'] as const
export type Victim = (typeof victims)[number]

/** What is known of the scene that is played: the words by which its first and its second message are found. */
export type Known = { first: string; second: string; firstId: number | null }

const says =
  (method: string, ...words: string[]) =>
  (line: string) =>
    line.includes(`"${method}"`) && words.every((word) => line.includes(word))
const message = (which: 'first' | 'second') => (line: string, known: Known) =>
  says('_posthog/user_message', known[which])(line)
const isLimit = (line: string) => line.includes('"limits"')
const asks = says('_posthog/agent_question')

/** The steps of a turn, by what is said in each; as text, so that it can be told on its way as well as in the log. */
export const steps = {
  message: message('first'),
  ack: says('_posthog/ack'),
  start: says('_posthog/agent_start'),
  chunk: says('agent_message_chunk'),
  tool: says('tool_call'),
  file: says('_posthog/file_change', '"log.txt"'),
  permission: (line) => asks(line) && line.includes('"toolCallId"'),
  question: (line) => asks(line) && !line.includes('"toolCallId"') && !isLimit(line),
  answer: says('_posthog/user_response'),
  closed: says('_posthog/question_closed'),
  'tool-end': says('tool_result'),
  end: says('_posthog/turn_complete'),
  queued: message('second'),
  edit: says('_posthog/message_edit', '"content":"'),
  withdraw: says('_posthog/message_edit', '"content":null'),
  cancel: says('_posthog/cancel'),
  steer: message('second'),
  steered: (line, { firstId }) => says('_posthog/ack')(line) && !new RegExp(`"id":${firstId}[,}]`).test(line),
  pause: says('_posthog/pause'),
  held: message('second'),
  resume: says('_posthog/resume'),
  limit: says('_posthog/run_limits'),
  'limit-asked': (line) => asks(line) && isLimit(line),
  'limit-answer': says('_posthog/user_response'),
  'limit-closed': says('_posthog/question_closed'),
  close: says('_posthog/close'),
  'session-close': says('_posthog/session_close'),
} satisfies Record<string, (line: string, known: Known) => boolean>
export type StepName = keyof typeof steps

/** The steps that each scene goes through, in their order; what it shares with another scene is met there. */
export const scenes = {
  work: [
    'message',
    'ack',
    'start',
    'chunk',
    'tool',
    'file',
    'permission',
    'answer',
    'closed',
    'tool-end',
    'question',
    'end',
  ],
  queue: ['queued', 'edit', 'withdraw'],
  cancel: ['cancel', 'end'],
  steer: ['steer', 'steered'],
  pause: ['pause', 'held', 'resume'],
  turns: ['limit', 'limit-asked', 'limit-answer', 'limit-closed', 'ack'],
  cost: ['limit-asked', 'limit-closed'],
  close: ['close', 'end', 'session-close'],
} satisfies Record<string, readonly StepName[]>
export type SceneName = keyof typeof scenes

/** Events of the hub itself pass through no proxy. */
export const waysOf = (step: StepName): readonly [Way, ...Way[]] =>
  step === 'session-close' ? ['seen'] : ways
