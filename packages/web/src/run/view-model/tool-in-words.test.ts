import { type Line, runner, sampleLog, web } from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { itemsOf, toldOf } from '../../story/story-under-test.ts'
import {
  isRejected,
  pathShown,
  toolKind,
  toolOutput,
  toolTitle,
  valueInWords,
  workedMs,
} from './tool-in-words.ts'

const tool = { title: '', what: 'other', command: null, places: [], workspace: null }

describe('the line of a tool', () => {
  it('is the command itself, without the words of the agent around it', () => {
    const command = 'npm test'
    expect(toolTitle({ ...tool, what: 'execute', title: 'Run `npm test`', command })).toBe('npm test')
    expect(toolTitle({ ...tool, what: 'execute', title: '', command })).toBe('npm test')
    expect(toolTitle({ ...tool, what: 'execute', title: 'Look whether all is well', command })).toBe(
      'Look whether all is well',
    )
  })

  it('is the place or the kind if the agent gives no title', () => {
    expect(toolTitle({ ...tool, places: [{ path: '/workspace/src/a.ts', line: 3 }] })).toBe('src/a.ts')
    expect(toolTitle({ ...tool, what: 'read', title: '  ' })).toBe('Read')
    expect(toolTitle({ ...tool, what: 'of tomorrow' })).toBe('Tool')
  })

  it('a kind that is a name of something else in JavaScript is still a tool', () => {
    expect(toolKind('constructor').words).toBe('Tool')
  })
})

describe('the result of a tool', () => {
  it('is not shown twice', () => {
    expect(toolOutput({ content: [{ is: 'text', text: 'ok' }], output: { stdout: 'ok' } })).toBe('')
  })

  it('is its output, if it names that, or else the value', () => {
    expect(toolOutput({ content: [], output: { stdout: 'a', stderr: 'b', code: 1 } })).toBe('a\nb')
    expect(toolOutput({ content: [], output: 'plain' })).toBe('plain')
    expect(toolOutput({ content: [], output: { n: 1 } })).toBe('{\n  "n": 1\n}')
    expect(toolOutput({ content: [], output: null })).toBe('')
  })

  it('is text, for a value of any type', () => {
    expect(valueInWords(undefined)).toBe('')
    expect(valueInWords(3)).toBe('3')
  })
})

describe('a path in a workspace', () => {
  it('is shown as its user knows it', () => {
    expect(pathShown('/workspace/a/b', null)).toBe('a/b')
    expect(pathShown('/workspace/', null)).toBe('/workspace/')
    expect(pathShown('a/workspace/b', null)).toBe('a/workspace/b')
    expect(pathShown('/home/me/garden/a/b', '/home/me/garden')).toBe('a/b')
    expect(pathShown('/home/me/garden/a', '/home/me/garden/')).toBe('a')
    // Elsewhere, and that has to be seen.
    expect(pathShown('/home/me/gardens/a', '/home/me/garden')).toBe('/home/me/gardens/a')
    expect(pathShown('/workspace/a', '/home/me/garden')).toBe('/workspace/a')
    expect(pathShown('/etc/passwd', '/')).toBe('/etc/passwd')
  })

  it('is shown so in the title of a tool, and a command is shown letter by letter', () => {
    const begun: Line = [
      runner,
      '_posthog/agent_start',
      { agent: 'a', sessionId: 's', how: 'new', cwd: '/home/me/garden' },
    ]
    const titleOf = (said: object) => {
      const call: Line = [runner, 'tool_call', { toolCallId: 't', status: 'pending', ...said }]
      return toolTitle(itemsOf(toldOf(sampleLog(begun, call)), 'tool')[0]!)
    }
    expect(titleOf({ title: 'Write /home/me/garden/b/a.txt', kind: 'edit' })).toBe('Write b/a.txt')
    expect(titleOf({ title: '`/home/me/garden/a.txt`', kind: 'read' })).toBe('a.txt')
    expect(titleOf({ title: 'Read /mnt/home/me/garden/a.txt', kind: 'read' })).toBe(
      'Read /mnt/home/me/garden/a.txt',
    )
    expect(titleOf({ title: 'Read /home/me/garden/../.ssh/id', kind: 'read' })).toBe(
      'Read /home/me/garden/../.ssh/id',
    )
    expect(titleOf({ kind: 'edit', locations: [{ path: '/home/me/garden/c.txt' }] })).toBe('c.txt')
    const rawInput = { command: 'rm /home/me/garden/a.txt' }
    expect(titleOf({ title: 'Run it', kind: 'execute', rawInput: {} })).toBe('Run it')
    expect(titleOf({ title: 'rm', kind: 'execute', rawInput })).toBe('rm')
    expect(titleOf({ kind: 'execute', rawInput })).toBe('rm /home/me/garden/a.txt')
  })
})

describe('a tool with a permission request', () => {
  const options = [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ]
  // One second passes between lines: it waits for five of nine.
  const toolOf = (answer: string, status: string) => {
    const chunk: Line = [runner, 'agent_thought_chunk', { text: '.' }]
    const lines: Line[] = [
      [runner, 'tool_call', { toolCallId: 't', title: 'rm', kind: 'execute', status: 'pending' }],
      [
        runner,
        '_posthog/agent_question',
        { questionId: 'qst_00000001', question: '?', kind: 'permission', options, toolCallId: 't' },
      ],
      ...Array<Line>(4).fill(chunk),
      [web, '_posthog/user_response', { questionId: 'qst_00000001', answer }],
      [runner, '_posthog/question_closed', { questionId: 'qst_00000001', how: 'answered', answer }],
      chunk,
      [runner, 'tool_result', { toolCallId: 't', status }],
    ]
    return itemsOf(toldOf(sampleLog(...lines)), 'tool')[0]!
  }

  it('took as long as it worked, and not as long as it waited', () => {
    expect(workedMs(toolOf('yes', 'completed'))).toBe(4000)
  })

  it('was rejected if they said no, and failed if it failed', () => {
    expect(isRejected(toolOf('no', 'failed'))).toBe(true)
    expect(isRejected(toolOf('yes', 'failed'))).toBe(false)
    expect(isRejected(toolOf('no', 'completed'))).toBe(false)
  })
})
