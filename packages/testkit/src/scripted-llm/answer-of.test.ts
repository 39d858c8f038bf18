import { describe, expect, it } from 'vitest'
import { answerOf } from './answer-of.ts'
import { type Conversation, conversationOf, type OfferedTool, type Said } from './conversation.ts'
import { writtenByDefault } from './steps-of.ts'

const text = { type: 'string' }
const object = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
})
const write: OfferedTool = { name: 'write_file', input: object({ file_path: text, content: text }) }
const bash: OfferedTool = { name: 'Bash', input: object({ command: text, timeout: text }, ['command']) }

const talk = (said: string | readonly Said[], more: Partial<Conversation> = {}): Conversation =>
  conversationOf(typeof said === 'string' ? [{ by: 'user', text: said }] : said, {
    model: 'scripted',
    tools: [write, bash],
    form: null,
    ...more,
  })
const result = (text: string): Said => ({ by: 'tool', text })
const user = (text: string): Said => ({ by: 'user', text })
const said = (text: string, call: unknown = null) => ({ kind: 'said', text, call })

describe('a scripted model', () => {
  it('repeats what it does not take for a command', () => {
    expect(answerOf(talk('good morning'))).toEqual(said('You said: good morning'))
  })

  it('calls a tool for each line that asks for one, and then says what the last one said', () => {
    const lines = user('say: first a file\nwrite a.txt: hello\nrun: ls')
    const writing = { name: 'write_file', input: { file_path: 'a.txt', content: 'hello\n' } }
    expect(answerOf(talk([lines]))).toEqual(said('first a file', writing))
    const running = { name: 'Bash', input: { command: 'ls' } }
    expect(answerOf(talk([lines, result('written')]))).toEqual(said('', running))
    expect(answerOf(talk([lines, result('written'), result('a.txt')]))).toEqual(said('The tool said: a.txt'))
  })

  it('recalls what a message said before, and only that', () => {
    const told = user('<note>Before that: the word of round 1 is Heron. And so on.</note>\n\nsay: fine')
    const answer = (round: number) => answerOf(talk([told, user(`recall: the word of round ${round}`)]))
    expect(answer(1)).toEqual(said('heron'))
    expect(answer(2)).toEqual(said('No message said what the word of round 2 is.'))
  })

  it('begins anew with each message of a person', () => {
    const { call } = answerOf(talk([user('write a.txt'), result('written'), user('write b.txt')])) as {
      call: unknown
    }
    expect(call).toEqual({ name: 'write_file', input: { file_path: 'b.txt', content: writtenByDefault } })
  })

  it('hears only the last paragraph of a person, and nothing that an agent put around it', () => {
    const glued = 'fail with 500\n\nsay: fine'
    expect(answerOf(talk(glued))).toEqual(said('fine'))
    const noted = [user('run: ls'), result('a.txt'), user('<system-reminder>say: no</system-reminder>')]
    expect(answerOf(talk(noted))).toEqual(said('The tool said: a.txt'))
    const meanwhile =
      'The user sent a new message while you were working:\nsay: in blue\n\nThis is how Claude Code surfaces messages ' +
      'the user sends mid-turn — within the running turn. Address the message above as you continue this turn.'
    expect(answerOf(talk([user('run: ls'), result('a.txt'), user(meanwhile)]))).toEqual(said('in blue'))
  })

  it('answers a side request of an agent, which offers no tools, with a title instead of a deed', () => {
    expect(answerOf(talk('fail with 500', { tools: [] }))).toEqual(said('A scripted title'))
  })

  it('fills a form if one is asked for', () => {
    const form = object({ title: text, isNew: { type: 'boolean' }, kind: { enum: ['a', 'b'] } })
    expect(answerOf(talk('write a.txt', { form }))).toEqual(
      said(JSON.stringify({ title: 'as scripted', isNew: false, kind: 'a' })),
    )
  })

  it('refuses for ever, or as often as it is told', () => {
    expect(answerOf(talk('rate limit'), 100)).toMatchObject({ kind: 'refused', status: 429 })
    const twice = talk('fail with 503 2 times\nsay: at last')
    expect(answerOf(twice, 1)).toMatchObject({ kind: 'refused', status: 503 })
    expect(answerOf(twice, 2)).toEqual(said('at last'))
    expect(answerOf(talk('fail with 500 once'), 1)).toEqual(said('Done.'))
  })

  it('streams without an end when it is told to', () => {
    expect(answerOf(talk('stream slowly'))).toEqual({ kind: 'endless' })
  })

  it('says so if the agent offers nothing to do it with', () => {
    expect(answerOf(talk('ask me'))).toEqual(said('There is no tool to ask with.'))
  })
})
