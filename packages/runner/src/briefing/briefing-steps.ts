import { handledBy, parsedWith, unparsed } from '@farhand/protocol/events/event-handlers'
import type { SessionUpdate, ToolCall } from '@farhand/protocol/methods/agent'
import type { AgentQuestion, QuestionClosed, UserResponse } from '@farhand/protocol/methods/questions'
import { plainLine, shortened } from '@farhand/protocol/text/plain-text'
import { z } from 'zod'
import { GrowingText } from './growing-text.ts'

/** One thing that was said or done: our heading, and the quotation below it. */
export type Entry = {
  heading: string
  quote: GrowingText | null
  /** Its event; for a tool, the last event about it. */
  at?: number
  /** Set for a message of a user's. */
  messageId?: number
  /** Entries with the same key can be continued. */
  goesOn?: string
  toolCallId?: string
  /** The tool's title. */
  tool?: string
  paths?: Set<string>
}

/** Whether it is text of the agent's. */
export const isWords = ({ goesOn }: Entry) => goesOn?.startsWith('text:') === true

/** The state of the fold. */
export type Story = {
  entries: Entry[]
  /** Messages that no turn has begun with. */
  waiting: Map<number, string>
  /** Messages whose turn is not over. */
  begun: Set<number>
  tools: Map<string, Entry>
  /** Open questions, and whether a user has answered. */
  questions: Map<string, boolean>
  plan: string[]
}

/** Who wrote an event, in words for the agent, and the event's id if known. */
type Origin = { who: string; id: number }
const mostOfMessage = 6000
const mostPaths = 100

function quote(text: string, mostHead = 1600, mostTail = 800): GrowingText {
  const growing = new GrowingText(mostHead, mostTail)
  growing.add(text)
  return growing
}

const Text = z.looseObject({ text: z.string(), messageId: z.string().nullish() })

function say(story: Story, { text, messageId }: z.infer<typeof Text>): void {
  const last = story.entries.at(-1)
  const goesOn = `text:${messageId ?? ''}`
  if (last?.goesOn === goesOn) last.quote!.add(text)
  else story.entries.push({ heading: 'The agent said', quote: quote(text), goesOn })
}

const ToolText = z.looseObject({
  title: z.string().optional().catch(undefined),
  rawOutput: z.unknown().optional(),
})
const ToolContent = z
  .array(z.unknown())
  .catch([])
  .transform((all) =>
    all.flatMap((one) => {
      const text = z.object({ content: z.object({ text: z.string() }) }).safeParse(one).data?.content.text
      const path = z.object({ type: z.literal('diff'), path: z.string() }).safeParse(one).data?.path
      return text ?? (path === undefined ? [] : `(changes ${plainLine(path)})`)
    }),
  )

function tool(story: Story, call: ToolCall): void {
  const { toolCallId, status } = call
  const { title, rawOutput } = ToolText.catch({}).parse(call)
  const before = story.tools.get(toolCallId)
  const entry: Entry = before ?? { heading: '', quote: null, toolCallId }
  entry.tool = shortened(plainLine(title ?? '') || entry.tool || 'without a name', 300)
  entry.heading = `A tool of the agent, ${shortened(plainLine(status ?? 'begun'), 40)}: ${entry.tool}`
  const result =
    ToolContent.parse(call.content).join('\n') || (typeof rawOutput === 'string' ? rawOutput : '')
  // Each update repeats the whole content.
  if (result) entry.quote = quote(result, 400, 400)
  if (before) return
  story.tools.set(toolCallId, entry)
  story.entries.push(entry)
}

const Path = z.object({ path: z.string() })
const Paths = z.union([
  z.object({ files: z.array(Path) }).transform(({ files }) => files),
  Path.transform((one) => [one]),
])

function changeFiles(story: Story, files: z.infer<typeof Paths>, { who }: Origin): void {
  const last = story.entries.at(-1)
  const goesOn = `files:${who}`
  const paths = last?.goesOn === goesOn ? last.paths! : new Set<string>()
  for (const { path } of files) if (paths.size < mostPaths) paths.add(path)
  if (last?.goesOn !== goesOn)
    story.entries.push({ heading: `Files changed by ${who}`, quote: null, goesOn, paths })
}

function ask(story: Story, { questionId, question }: AgentQuestion): void {
  story.questions.set(questionId, false)
  story.entries.push({ heading: 'The agent asked the user', quote: quote(question, 1000, 0) })
}

function answer(story: Story, { questionId, answer }: UserResponse, { who }: Origin): void {
  if (story.questions.get(questionId) !== false) return
  story.questions.set(questionId, true)
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  story.entries.push({ heading: `Answered by ${who}`, quote: quote(text, 1000, 0) })
}

function closeQuestion(story: Story, { questionId, how, answer: given, by }: QuestionClosed): void {
  const isAnswered = story.questions.get(questionId)
  if (isAnswered === undefined) return
  if (!isAnswered && given !== undefined)
    answer(story, { questionId, answer: given }, { who: plainLine(by ?? 'unknown'), id: 0 })
  else if (how !== 'answered') story.entries.push({ heading: `The question was ${how}`, quote: null })
  story.questions.delete(questionId)
}

const Plan = z.object({
  sessionUpdate: z.literal('plan'),
  entries: z.array(z.object({ content: z.string(), status: z.string().optional().catch(undefined) })),
})

function update(story: Story, { update }: SessionUpdate): void {
  const plan = Plan.safeParse(update).data
  if (!plan) return
  story.plan = plan.entries
    .slice(0, 50)
    .map(({ content, status }) => `${status ?? 'pending'}: ${shortened(plainLine(content), 200)}`)
}

/** What each event adds to the briefing; other events add nothing. */
export const step = handledBy<Story, [Origin], void>({
  user_message: ({ waiting }, { content, attachments = [] }, { id }) => {
    const names = attachments.map(({ name }) => `\n(attached: ${plainLine(name)})`).join('')
    waiting.set(id, shortened(content, mostOfMessage) + shortened(names, 1000))
  },
  message_edit: ({ waiting }, { messageId, content }) => {
    if (content === null) waiting.delete(messageId)
    else if (waiting.has(messageId)) waiting.set(messageId, shortened(content, mostOfMessage))
  },
  ack: ({ waiting, begun, entries }, { id: messageId, into }) => {
    const content = waiting.get(messageId)
    waiting.delete(messageId)
    if (content !== undefined) {
      begun.add(messageId)
      entries.push({ heading: 'The user said', quote: quote(content, 4000, 2000), messageId })
      // An ack that crossed a withdrawal begins nothing (W29).
    } else if (into === undefined && begun.has(messageId))
      entries.push({ heading: 'The agent was started again, to continue with that message', quote: null })
  },
  turn_complete: ({ entries, begun }, { messageId, stopReason, into }) => {
    begun.delete(messageId)
    if (into === undefined)
      entries.push({ heading: `The turn ended: ${shortened(plainLine(stopReason), 100)}`, quote: null })
  },
  forked: unparsed(({ entries, waiting, begun, questions }) => {
    for (const open of [waiting, begun, questions]) open.clear()
    entries.push({
      heading: 'Here this run parts from the one before; what was under way there ends here',
      quote: null,
    })
  }),
  agent_message_chunk: parsedWith(Text, say),
  tool_call: tool,
  tool_result: tool,
  'session/update': update,
  file_sync: parsedWith(Paths, changeFiles),
  file_change: parsedWith(Paths, changeFiles),
  agent_question: ask,
  user_response: answer,
  question_closed: closeQuestion,
  shell: ({ entries }, { command }, { who }) => {
    entries.push({ heading: `A command was run by ${who}`, quote: quote(command, 800, 0) })
  },
  git_commit: ({ entries }, { sha, kind, message }, { who }) => {
    if (kind !== 'commit') return
    entries.push({
      heading: `Commit ${sha.slice(0, 12)} by ${who}`,
      quote: message ? quote(message, 400, 0) : null,
    })
  },
})
