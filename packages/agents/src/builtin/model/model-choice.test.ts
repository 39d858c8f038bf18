import { describe, expect, it } from 'vitest'
import { chooseModel } from './model-choice.ts'

describe('the chosen model', () => {
  it.each([
    [
      { ANTHROPIC_API_KEY: 'a' },
      { provider: 'anthropic', key: 'a', model: expect.stringMatching(/^claude/) },
    ],
    [{ OPENAI_API_KEY: 'o' }, { provider: 'openai', key: 'o', model: expect.stringMatching(/^gpt/) }],
    [{ GEMINI_API_KEY: 'g' }, { provider: 'google', key: 'g', model: expect.stringMatching(/^gemini/) }],
    [{ GOOGLE_API_KEY: 'g' }, { provider: 'google', key: 'g', keyIn: 'GOOGLE_API_KEY' }],
    [
      { FARHAND_MODEL_URL: 'http://x/v1/' },
      { provider: 'local', model: null, key: null, baseUrl: 'http://x/v1' },
    ],
    [
      { FARHAND_MODEL_URL: 'http://x/v1', FARHAND_MODEL_KEY: 'k' },
      { provider: 'local', key: 'k', keyIn: 'FARHAND_MODEL_KEY' },
    ],
  ])('follows from the key that is set: %o', (env, choice) => {
    expect(chooseModel(env)).toMatchObject(choice)
  })

  it('is the local one even if a key is set, too', () => {
    const env = { OPENAI_API_KEY: 'o', FARHAND_MODEL_URL: 'http://x/v1' }
    expect(chooseModel(env)).toMatchObject({ provider: 'local' })
  })

  it.each([
    ['openai/gpt-x', { provider: 'openai', model: 'gpt-x' }],
    ['google/gemini-x', { provider: 'google', model: 'gemini-x' }],
    ['claude-x', { provider: 'anthropic', model: 'claude-x' }],
  ])('is the one that FARHAND_MODEL names: %s', (FARHAND_MODEL, choice) => {
    const keys = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', GEMINI_API_KEY: 'g' }
    expect(chooseModel({ ...keys, FARHAND_MODEL })).toMatchObject(choice)
  })

  it.each([
    ['local/tiny', 'tiny'],
    ['qwen/qwen3', 'qwen/qwen3'],
    ['tiny', 'tiny'],
  ])("may have a slash in its name on a server of one's own: %s", (FARHAND_MODEL, model) => {
    expect(chooseModel({ FARHAND_MODEL, FARHAND_MODEL_URL: 'http://x/v1' })).toMatchObject({ model })
  })

  it('is none, with the names of the variables to set, when no key is set or none for the named model', () => {
    const missing = (env: Record<string, string>) => (chooseModel(env) as { missing: string }).missing
    expect(missing({})).toMatch(/ANTHROPIC_API_KEY.*OPENAI_API_KEY.*GEMINI_API_KEY.*FARHAND_MODEL_URL/)
    expect(missing({ ANTHROPIC_API_KEY: '' })).toMatch('ANTHROPIC_API_KEY')
    expect(missing({ ANTHROPIC_API_KEY: 'a', FARHAND_MODEL: 'google/x' })).toMatch('GEMINI_API_KEY')
    expect(missing({ ANTHROPIC_API_KEY: 'a', FARHAND_MODEL: 'local/x' })).toMatch('FARHAND_MODEL_URL')
  })

  it.each([
    [{ ANTHROPIC_API_KEY: 'a', ANTHROPIC_BASE_URL: 'http://x' }, 'http://x/v1'],
    [{ ANTHROPIC_API_KEY: 'a', ANTHROPIC_BASE_URL: 'http://x/proxy/' }, 'http://x/proxy/v1'],
    [{ ANTHROPIC_API_KEY: 'a', ANTHROPIC_BASE_URL: 'http://x/v1' }, 'http://x/v1'],
    [{ OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'http://x' }, 'http://x/v1'],
    [{ OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'http://x/openai' }, 'http://x/openai'],
    [{ GEMINI_API_KEY: 'g', GOOGLE_GEMINI_BASE_URL: 'http://x' }, 'http://x/v1beta'],
    [{ FARHAND_MODEL_URL: 'http://127.0.0.1:11434' }, 'http://127.0.0.1:11434/v1'],
    [{ GEMINI_API_KEY: 'g', OPENAI_BASE_URL: 'nonsense' }, null],
  ])('is where its own base URL says, with the version that other programs leave out: %o', (env, baseUrl) => {
    expect(chooseModel(env)).toMatchObject({ baseUrl })
  })

  it('is none when the address of its server is malformed, and says which variable has it', () => {
    expect(chooseModel({ FARHAND_MODEL_URL: 'localhost:11434' })).toMatchObject({
      wrong: expect.stringContaining('FARHAND_MODEL_URL is not an address: it begins with neither http://'),
    })
    const secret = { FARHAND_MODEL_URL: 'http://me:secret@:x/v1' }
    expect(chooseModel(secret)).toMatchObject({ wrong: expect.stringContaining('it cannot be read') })
    expect(JSON.stringify(chooseModel(secret))).not.toContain('secret')
    expect(chooseModel({ OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'nonsense' })).toMatchObject({
      wrong: expect.stringContaining('OPENAI_BASE_URL is not an address'),
    })
  })

  it('has the context window that the user sets, if that is a number', () => {
    const env = { ANTHROPIC_API_KEY: 'a' }
    expect(chooseModel({ ...env, FARHAND_MODEL_WINDOW: '8000' })).toMatchObject({ window: 8000 })
    expect(chooseModel({ ...env, FARHAND_MODEL_WINDOW: 'large' })).toMatchObject({ window: null })
  })
})
