import { describe, expect, it } from 'vitest'
import type { OfferedTool } from './conversation.ts'
import { askCall, shellCall, writeCall } from './tool-calls.ts'

const text = { type: 'string' }
const tool = (
  name: string,
  properties: object,
  required: string[] = Object.keys(properties),
): OfferedTool => ({
  name,
  input: { type: 'object', properties, required },
})
const shell = tool('exec_command', { cmd: text })

describe('a call to write a file', () => {
  it.each([
    [tool('write', { filePath: text, content: text }), { filePath: 'a.txt', content: 'hi\n' }],
    [tool('developer__write', { path: text, content: text }), { path: 'a.txt', content: 'hi\n' }],
    [
      tool('developer__text_editor', { command: text, path: text, file_text: text }),
      { command: 'write', path: 'a.txt', file_text: 'hi\n' },
    ],
    [
      tool('str_replace_based_edit_tool', {
        command: { enum: ['view', 'create'] },
        path: text,
        file_text: text,
      }),
      { command: 'create', path: 'a.txt', file_text: 'hi\n' },
    ],
    [tool('save_to_disk', { path: text, text }), { path: 'a.txt', text: 'hi\n' }],
  ])('uses $name', (writer, input) => {
    expect(writeCall([shell, writer], 'a.txt', 'hi\n')).toEqual({ name: writer.name, input })
  })

  it('is a patch where files are only patched, as a text or in a field', () => {
    const input = '*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch\n'
    expect(writeCall([shell, { name: 'apply_patch', input: null }], 'a.txt', 'hi\n')?.input).toBe(input)
    expect(writeCall([shell, tool('apply_patch', { input: text })], 'a.txt', 'hi\n')?.input).toEqual({
      input,
    })
  })

  it('is a command where there is nothing but a shell, with every quote in its place', () => {
    expect(writeCall([shell], 'a.txt', "it's")?.input).toEqual({ cmd: "printf '%s' 'it'\\''s' > 'a.txt'" })
  })

  it('is none where there is no such tool', () => {
    expect(writeCall([tool('read', { path: text })], 'a.txt', 'hi')).toBe(null)
  })
})

describe('a call to run a command', () => {
  it('is a list where the tool wants one', () => {
    const list = tool('shell', { command: { type: 'array', items: text } })
    expect(shellCall([list], 'ls')?.input).toEqual({ command: ['bash', '-lc', 'ls'] })
  })

  it('gives what the tool requires, and asks for permission where a model can', () => {
    const asking = tool('exec_command', { cmd: text, sandbox_permissions: text, tty: { type: 'boolean' } }, [
      'tty',
    ])
    expect(shellCall([asking], 'ls')?.input).toEqual({
      cmd: 'ls',
      sandbox_permissions: 'require_escalated',
      tty: false,
    })
  })
})

describe('a call to ask a person', () => {
  it('has only the fields that the tool knows', () => {
    const option = { type: 'object', properties: { label: text } }
    const question = {
      type: 'object',
      properties: { question: text, options: { type: 'array', items: option } },
    }
    const asker = tool('AskUserQuestion', { questions: { type: 'array', items: question } })
    expect(askCall([asker])?.input).toEqual({
      questions: [{ question: 'Left or right?', options: [{ label: 'left' }, { label: 'right' }] }],
    })
  })
})
