import { describe, expect, it } from 'vitest'
import { formExample } from './form-example.ts'

const example = (properties: unknown) => formExample({ type: 'object', properties })

describe('how a form is filled in', () => {
  it('is shown with a value of each kind, and with one of its own where a field has any', () => {
    const fields = {
      name: { type: 'string' },
      many: { type: 'integer' },
      sure: { type: 'boolean' },
      tags: { type: 'array' },
      colour: { type: 'string', enum: ['red', 'green'] },
      size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
      port: { type: 'number', default: 80 },
    }
    expect(example(fields)).toBe(
      '{"name":"...","many":1,"sure":true,"tags":[],"colour":"red","size":"s","port":80}',
    )
  })

  it('is not shown where the bare answer is enough', () => {
    expect(example({ name: { type: 'string' } })).toBeNull()
    const choice = { way: { type: 'string', enum: ['left', 'right'] }, other: { type: 'string' } }
    expect(example(choice)).toBeNull()
    for (const form of [null, undefined, 7, {}, { properties: 3 }]) expect(formExample(form)).toBeNull()
  })

  it('is short, and obeys nothing that an agent says to a terminal', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, { type: 'string' }]))
    expect(example(many)!.length).toBeLessThan(300)
    expect(example({ 'a\u202e': 3, b: { type: 'string' } })).toBe('{"a":"...","b":"..."}')
  })
})
