import { describe, expect, it } from 'vitest'
import { ReportedTools } from './reported-tools.ts'

const diff = [{ type: 'diff', path: '/w/a.txt', oldText: 'a', newText: 'b' }]
const ask = (toolCall: unknown, method = 'session/request_permission') => ({
  method: method as 'session/request_permission',
  params: { sessionId: 's', options: [], toolCall },
})
const askedFor = { 'farhand/askedFor': true }

describe('a tool that an agent wants permission for', () => {
  it('and never told of is told with all that the request says of it, once', () => {
    const tools = new ReportedTools()
    const asked = ask({ toolCallId: 't', title: 'Edit a.txt', kind: 'edit', content: diff, locations: null })
    expect(tools.untold(asked)).toEqual({
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      title: 'Edit a.txt',
      kind: 'edit',
      status: 'pending',
      content: diff,
      _meta: askedFor,
    })
    expect(tools.untold(asked)).toBeNull()
  })

  it('and reported without its coming change gets that added', () => {
    const tools = new ReportedTools()
    tools.take({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Edit' })
    expect(tools.untold(ask({ toolCallId: 't', title: 'Edit' }))).toBeNull()
    expect(tools.untold(ask({ toolCallId: 't', content: diff, _meta: { a: 1 } }))).toEqual({
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      content: diff,
      _meta: { a: 1, ...askedFor },
    })
  })

  it('and told of with that is left as it is', () => {
    const tools = new ReportedTools()
    tools.take({ sessionUpdate: 'tool_call', toolCallId: 't', content: diff })
    tools.take({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'in_progress' })
    expect(tools.untold(ask({ toolCallId: 't', content: diff }))).toBeNull()
  })

  it('has a title even if the agent has none for it, and keeps its own status', () => {
    expect(new ReportedTools().untold(ask({ toolCallId: 't', title: null, status: 'in_progress' }))).toEqual({
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      title: 'A tool',
      status: 'in_progress',
      _meta: askedFor,
    })
  })

  it('is told anew in another turn', () => {
    const tools = new ReportedTools()
    tools.take({ sessionUpdate: 'tool_call', toolCallId: 't', content: diff })
    tools.forget()
    expect(tools.untold(ask({ toolCallId: 't' }))).toMatchObject({ sessionUpdate: 'tool_call' })
  })

  it('is known to be refused by what the agent was answered', () => {
    const options = [
      { optionId: 'y', kind: 'allow_once' },
      { optionId: 'n', kind: 'reject_once' },
    ]
    const isRefused = (outcome: unknown) => {
      const tools = new ReportedTools()
      tools.answered({ params: { toolCall: { toolCallId: 't' }, options } }, { outcome })
      return tools.isRefused('t')
    }
    expect(isRefused({ outcome: 'selected', optionId: 'n' })).toBe(true)
    expect(isRefused({ outcome: 'cancelled' })).toBe(true)
    expect(isRefused({ outcome: 'selected', optionId: 'y' })).toBe(false)
    expect(isRefused({ outcome: 'selected', optionId: 'x' })).toBe(false)
    expect(isRefused(null)).toBe(false)
  })

  it('is asked about with all that was told of it before, where the request says less', () => {
    const tools = new ReportedTools()
    const rawInput = { command: 'echo aaaa; rm -rf x' }
    tools.take({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Bash', kind: 'execute', rawInput: {} })
    tools.take({ sessionUpdate: 'tool_call_update', toolCallId: 't', rawInput, title: null })
    tools.take({ sessionUpdate: 'tool_call', toolCallId: 'other', rawInput: { command: 'ls' } })
    const asked = ask({ toolCallId: 't', title: 'Running: echo aaa…', rawInput: {} })
    expect(tools.whole(asked)).toMatchObject({
      params: { toolCall: { toolCallId: 't', title: 'Running: echo aaa…', kind: 'execute', rawInput } },
    })
    const own = ask({ toolCallId: 't', rawInput: { command: 'pwd' } })
    expect(tools.whole(own).params.toolCall, 'what the request says itself counts').toMatchObject({
      rawInput: { command: 'pwd' },
    })
    expect(tools.whole(ask({ toolCallId: 'unknown' }))).toEqual(ask({ toolCallId: 'unknown' }))
  })

  it('is asked about with its command where the agent told that only as text', () => {
    const tools = new ReportedTools()
    const text = JSON.stringify({ command: 'echo aaaa; rm -rf x' })
    const content = [{ type: 'content', content: { type: 'text', text } }]
    tools.take({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Bash', content })
    const shown = [{ type: 'content', content: { type: 'text', text: 'Running: echo aaa…' } }]
    const asked = ask({ toolCallId: 't', title: 'Bash', content: shown })
    expect(tools.whole(asked).params.toolCall).toMatchObject({
      content: shown,
      rawInput: { command: 'echo aaaa; rm -rf x' },
    })
  })

  it('keeps both ends of a command of many megabytes, and not the whole of it', () => {
    const tools = new ReportedTools()
    const command = `echo ${'a'.repeat(5_000_000)}; rm -rf x`
    tools.take({ sessionUpdate: 'tool_call', toolCallId: 't', rawInput: { command } })
    const { toolCall } = tools.whole(ask({ toolCallId: 't' })).params
    const kept = (toolCall as { rawInput: { command: string } }).rawInput.command
    expect(kept.length).toBeLessThan(100_000)
    expect(kept).toMatch(/^echo a[\s\S]*; rm -rf x$/)
  })

  it.each([undefined, null, 't', [], {}, { toolCallId: 7 }, { toolCallId: '' }])(
    'that cannot be told from others is not told: %j',
    (toolCall) => {
      expect(new ReportedTools().untold(ask(toolCall))).toBeNull()
    },
  )

  it('is not looked for in other questions', () => {
    expect(new ReportedTools().untold(ask({ toolCallId: 't' }, 'elicitation/create'))).toBeNull()
  })
})
