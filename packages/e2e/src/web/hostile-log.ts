import { hashOf } from '@farhand/client/blobs/sha256'
import type { PackedBlob } from '@farhand/client/post/post'
import type { Notification } from '@farhand/protocol/wire/event'

const poison =
  '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>[c](javascript:window.__xss=1)\u202e\u001b[31m'
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>window.__xss=1</script></svg>'

/** Words that each stand in one field only: where one is seen on a page, that field is shown there. */
export class Marks {
  readonly #fields = new Map<string, string>()

  /** Something bad for this field, with the word by which it is known again. */
  put(field: string, most = Number.POSITIVE_INFINITY): string {
    const word = `zq${this.#fields.size}zq`
    this.#fields.set(word, field)
    return `${word} ${poison}`.slice(0, most)
  }

  all(): string[] {
    return [...this.#fields.values()]
  }

  /** The fields of which letters are turned around in this. */
  turnedIn(seen: string): string[] {
    const lines = seen.split('\n').filter((line) => line.includes('\u202e'))
    return [...this.#fields].flatMap(([word, field]) =>
      lines.some((line) => line.includes(word)) ? [field] : [],
    )
  }

  /** The fields of which something is seen in this. */
  seenIn(seen: string): string[] {
    return [...this.#fields].flatMap(([word, field]) => (seen.includes(word) ? [field] : []))
  }

  /** The fields of which nothing is seen in this. */
  unseenIn(seen: string): string[] {
    return [...this.#fields].flatMap(([word, field]) => (seen.includes(word) ? [] : [field]))
  }
}

export const say = (method: string, params: object): Notification => ({
  jsonrpc: '2.0',
  method,
  params: { ...params },
})
const update = (said: object) => say('session/update', { update: said })
const block = (content: object) => ({ type: 'content', content })
export const blobOf = async (text: string): Promise<PackedBlob> => {
  const bytes = new TextEncoder().encode(text)
  return { hash: await hashOf(bytes), bytes }
}

/** What a runner that means harm writes: every field that an agent, its tools or its files can fill and a page shows. */
export async function hostileEvents(marks: Marks, messageId: number) {
  const file = await blobOf(`${marks.put('the contents of a file')}\n${svg}`)
  const long = await blobOf(poison)
  const fields = {
    [marks.put('the name of a field')]: { type: 'string', default: marks.put('what a field begins with') },
    text: {
      type: 'string',
      title: marks.put('the title of a field'),
      description: marks.put('about a field'),
    },
    one: { type: 'string', oneOf: [{ const: poison, title: marks.put('a choice'), description: poison }] },
    many: { type: 'array', items: { enum: [marks.put('one of many')] } },
    ['__proto__']: { type: 'boolean', title: poison },
  }
  const events = [
    say('_posthog/agent_start', {
      agent: marks.put('the name of an agent', 100),
      sessionId: poison,
      how: 'new',
      modes: {
        currentModeId: 'a',
        availableModes: [{ id: 'a', name: marks.put('a mode'), description: poison }],
      },
      configOptions: [
        {
          id: poison,
          name: marks.put('an option of the agent'),
          type: 'select',
          currentValue: 'b',
          options: [
            {
              value: 'b',
              name: marks.put('a choice of an option'),
              description: marks.put('about a choice of an option'),
            },
          ],
        },
      ],
    }),
    say('_posthog/ack', { for: '_posthog/user_message', id: messageId }),
    say('agent_thought_chunk', { text: marks.put('a thought') }),
    say('agent_message_chunk', { text: marks.put('words of an agent') }),
    say('agent_message_chunk', {
      text: '',
      content: { type: 'image', mimeType: 'image/svg+xml', data: btoa(svg) },
    }),
    update({
      sessionUpdate: 'plan',
      entries: [{ content: marks.put('a step of a plan'), priority: poison, status: 'pending' }],
    }),
    update({
      sessionUpdate: 'available_commands_update',
      availableCommands: [
        {
          name: marks.put('a command', 20),
          description: marks.put('what a command does'),
          input: { hint: poison },
        },
      ],
    }),
    update({
      sessionUpdate: 'usage_update',
      used: 5,
      size: 10,
      cost: { amount: 1, currency: poison },
    }),
    say('tool_call', {
      toolCallId: poison,
      title: marks.put('the title of a tool'),
      kind: poison,
      status: 'failed',
      rawInput: { [marks.put('a name in the input of a tool')]: marks.put('the input of a tool') },
      rawOutput: { output: marks.put('the output of a tool'), exitCode: poison },
      content: [
        block({
          type: 'resource_link',
          name: marks.put('the name of a resource'),
          uri: 'vbscript:window.__xss=1',
        }),
      ],
    }),
    say('tool_call', {
      toolCallId: 'content',
      title: '',
      kind: 'fetch',
      status: 'failed',
      rawInput: { command: marks.put('a command line') },
      locations: [{ path: poison, line: poison }],
      content: [
        block({ type: 'text', text: marks.put('text of a tool') }),
        block({ type: 'resource', resource: { uri: poison, text: marks.put('a resource') } }),
        block({
          type: 'resource_link',
          uri: 'data:text/html,<script>1</script>',
          title: marks.put('a link'),
        }),
        block({ type: 'image', mimeType: `image/png;${poison}`, data: poison }),
        {
          type: 'diff',
          path: marks.put('the path of a diff'),
          oldText: marks.put('the old side of a diff'),
          newText: marks.put('the new side of a diff'),
        },
        block({
          type: 'text',
          text: { _blob: long.hash, size: long.bytes.length, head: marks.put('the head of a blob') },
        }),
      ],
      blobs: [long.hash],
    }),
    say('_posthog/file_change', {
      path: `${marks.put('the path of a file').replaceAll('/', '_')}.svg`,
      action: 'created',
      hash: file.hash,
      size: file.bytes.length,
    }),
    say('_posthog/git_commit', {
      sha: 'abcdef0123',
      branch: marks.put('a branch'),
      message: marks.put('the subject of a commit'),
    }),
    say('_posthog/pr_created', { prUrl: 'https://elsewhere.example/', branch: poison }),
    say('_posthog/phase_complete', {
      phase: marks.put('a phase'),
      ok: false,
      error: marks.put('the error of a phase'),
    }),
    say('_posthog/session_restored', {
      fromCheckpoint: null,
      missing: [marks.put('a file that is missing')],
    }),
    say('_posthog/console', { level: 'warn', message: marks.put('a warning') }),
    say('_posthog/console', { level: 'constructor', message: poison }),
    say('_posthog/error', { message: marks.put('an error') }),
    say('_posthog/sandbox_output', { id: 'sh', stdout: marks.put('stdout'), stderr: marks.put('stderr') }),
    say('_posthog/turn_complete', {
      messageId,
      stopReason: marks.put('how a turn ended'),
      error: { message: poison },
    }),
    say('_posthog/agent_question', {
      questionId: 'qst_decided01',
      question: marks.put('a question that a policy answers'),
    }),
    say('_posthog/question_closed', {
      questionId: 'qst_decided01',
      how: 'answered',
      answer: marks.put('the answer of a policy'),
      by: poison.slice(0, 100),
      why: marks.put('why a policy answered'),
    }),
    say('_posthog/agent_question', { questionId: 'qst_decided02', question: 'And this?' }),
    say('_posthog/question_closed', {
      questionId: 'qst_decided02',
      how: 'answered',
      answer: 'yes',
      by: marks.put('the name of a policy', 100),
    }),
    say('_posthog/agent_question', {
      questionId: 'qst_choices01',
      question: marks.put('a question'),
      kind: 'permission',
      options: [
        { optionId: 'o', name: marks.put('an option to answer with'), kind: 'allow_once' },
        { optionId: 'o', name: poison, kind: poison },
      ],
      url: `javascript:window.__xss="${marks.put('a page to open')}"`,
    }),
    say('_posthog/agent_question', {
      questionId: 'qst_ofatool01',
      question: marks.put('a question about a tool'),
      toolCallId: 'content',
      options: [{ optionId: 'o', name: 'Yes', kind: 'allow_once' }],
    }),
    say('_posthog/agent_question', {
      questionId: 'qst_aform0001',
      question: 'A form',
      form: { type: 'object', properties: fields },
    }),
  ]
  return { events, blobs: [file, long] }
}
