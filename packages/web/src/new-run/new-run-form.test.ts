import { describe, expect, it } from 'vitest'
import { emptyForm, fieldOfRefusal, type NewRunForm, planRun } from './new-run-form.ts'

const form = (said: Partial<NewRunForm>): NewRunForm => ({
  ...emptyForm,
  project: 'prj_000000000000000000000',
  agent: 'rehearsal',
  prompt: 'Mend the parser\nand say how',
  ...said,
})
const planOf = (said: Partial<NewRunForm>) => {
  const planned = planRun(form(said))
  if ('troubles' in planned) throw new Error(JSON.stringify(planned.troubles))
  return planned.plan
}
const troublesOf = (said: Partial<NewRunForm>) => {
  const planned = planRun(form(said))
  return 'troubles' in planned ? Object.keys(planned.troubles) : []
}

describe('the form for a new run', () => {
  it('asks for a run with its prompt in one step, in a task that is called after its first line', () => {
    expect(planOf({})).toEqual({
      project: { id: 'prj_000000000000000000000' },
      title: 'Mend the parser',
      run: {
        agent: 'rehearsal',
        mode: 'interactive',
        sandbox: 'auto',
        prompt: 'Mend the parser\nand say how',
      },
      says: [],
    })
  })

  it('sends a policy before the message, so that the agent never asks a user who chose not to be asked', () => {
    const { run, says } = planOf({ mode: 'background', policy: 'allow-all' })
    expect(run.prompt).toBeUndefined()
    expect(says.map(({ method }) => method)).toEqual(['_posthog/mode_change', '_posthog/user_message'])
    expect(says[0]!.params).toEqual({ mode: 'background', policy: 'allow-all' })
  })

  it('applies a policy in interactive mode only because the user chose it', () => {
    const { says } = planOf({ policy: 'allow-edits' })
    expect(says[0]!.params).toEqual({
      mode: 'interactive',
      policy: { base: 'allow-edits', interactive: true },
    })
  })

  it('sends only the terms that the user set', () => {
    expect(planOf({}).run.terms).toBeUndefined()
    expect(
      planOf({
        network: 'hosts',
        hosts: 'example.org, *.example.com\nlocalhost:8080',
        setup: ' npm ci ',
        idleMinutes: '30',
        startsFrom: 'clone',
        cloneUrl: 'https://example.org/a.git ',
      }).run.terms,
    ).toEqual({
      network: { allow: ['example.org', '*.example.com', 'localhost:8080'] },
      setup: 'npm ci',
      idleMinutes: 30,
      clone: { url: 'https://example.org/a.git' },
    })
    // What was typed for another choice is not sent along with this one.
    expect(planOf({ cloneUrl: 'https://example.org/a.git', hosts: 'example.org' }).run.terms).toBeUndefined()
  })

  it('names each field that is wrong', () => {
    expect(troublesOf({ prompt: ' ', agent: '' })).toEqual(['prompt', 'agent'])
    expect(troublesOf({ project: '', projectName: ' ' })).toEqual(['projectName'])
    expect(troublesOf({ startsFrom: 'clone', cloneUrl: 'git@example.org:a.git' })).toEqual(['cloneUrl'])
    expect(troublesOf({ startsFrom: 'fork' })).toEqual(['fork'])
    expect(troublesOf({ network: 'hosts', hosts: '' })).toEqual(['hosts'])
    expect(troublesOf({ network: 'hosts', hosts: 'a b/c' })).toEqual(['hosts'])
    expect(troublesOf({ idleMinutes: 'x' })).toEqual(['idleMinutes'])
    expect(troublesOf({ idleMinutes: '0' })).toEqual(['idleMinutes'])
  })

  it('begins a fork with the run and the event that were chosen', () => {
    const fork = { run: 'run_000000000000000000000', event: 12 }
    expect(planOf({ startsFrom: 'fork', fork }).run.fork).toEqual(fork)
    expect(planOf({ startsFrom: 'empty', fork }).run.fork).toBeUndefined()
  })

  it('puts a refusal of the hub beside the field that it is about', () => {
    expect(fieldOfRefusal('request.malformed', 'terms.clone.url')).toBe('cloneUrl')
    expect(fieldOfRefusal('request.malformed', 'terms.network.allow.0')).toBe('hosts')
    expect(fieldOfRefusal('sandbox.refused', undefined)).toBe('sandbox')
    expect(fieldOfRefusal('run.unknown', undefined)).toBe('fork')
    expect(fieldOfRefusal('storage.full', undefined)).toBe('form')
  })
})
