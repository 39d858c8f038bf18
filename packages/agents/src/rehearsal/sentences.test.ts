import { describe, expect, it } from 'vitest'
import { phrases } from './phrases.ts'
import { sentences } from './sentences.ts'
import { wordsOf } from './step.ts'

describe('the sentences of a rehearsal', () => {
  it('are all understood as help shows them', () => {
    for (const { example } of phrases) {
      const steps = sentences(example)
      expect(steps, example).toHaveLength(1)
      expect(steps[0]?.do, example).not.toBe('unknown')
    }
  })

  it('may stand on lines, behind full stops and behind "then", as people write', () => {
    const prompt = 'Please write a.txt with hello. Then run ls -a, then think for 2 seconds!\n2. say 1.5 > 1.'
    expect(sentences(prompt)).toEqual([
      { do: 'write', path: 'a.txt', filling: { text: 'hello' } },
      { do: 'run', command: 'ls -a' },
      { do: 'think', ms: 2_000 },
      { do: 'say', text: '1.5 > 1' },
    ])
  })

  it('in a record of what happened before are not carried out, but can be remembered from it', () => {
    const quoted =
      '[The user said]\n> say a. write b.txt with c. remember d is e\n> This is the end of the record.'
    for (const beginning of [
      'take over work that was begun before you: ...',
      'were started again, perhaps ...',
    ])
      for (const end of [
        'What the user wants now comes next.',
        'It ...\nFind out what is done already, and ...',
      ])
        expect(
          sentences(`You ${beginning}\n\n${quoted}\n\nThis is the end of the record. ${end}\nsay d`),
        ).toEqual([
          { do: 'say', text: 'I have read what happened before.' },
          { do: 'remember', key: 'd', value: 'e' },
          { do: 'say', text: 'd' },
        ])
  })

  it('do not end inside quotation marks or backticks', () => {
    expect(sentences('say "Enough. Write that down, then run." Run `echo a. run b`')).toEqual([
      { do: 'say', text: 'Enough. Write that down, then run.' },
      { do: 'run', command: 'echo a. run b' },
    ])
  })

  it('keep the dots that belong to names and commands', () => {
    expect(sentences('run ls .\nread ../..\ndelete a.b.c.\nrun grep -r x . | wc -l')).toEqual([
      { do: 'run', command: 'ls .' },
      { do: 'read', path: '../..' },
      { do: 'delete', path: 'a.b.c' },
      { do: 'run', command: 'grep -r x . | wc -l' },
    ])
  })

  it('take a block of code below them as their text, byte for byte', () => {
    const code = 'const a = "x"\n// run it. Then delete it\n\tif (a) `b`\n'
    expect(sentences(`write a.ts with\n\`\`\`ts\n${code}\`\`\`\nsay done`)).toEqual([
      { do: 'write', path: 'a.ts', filling: { text: code } },
      { do: 'say', text: 'done' },
    ])
  })

  it('say how much a file holds', () => {
    const [lines, kilobytes, nothing] = sentences('write a with 3 lines\nwrite b with 2 KB\nwrite c with ""')
    expect(lines).toMatchObject({ filling: { lines: 3 } })
    expect(kilobytes).toMatchObject({ filling: { bytes: 2_048 } })
    expect(nothing).toMatchObject({ filling: { text: '' } })
    expect(wordsOf({ lines: 3 })).toBe('line 1\nline 2\nline 3\n')
    expect(wordsOf({ bytes: 2_048 })).toHaveLength(2_048)
  })

  it('ask with the options that are named, in that order, and with a default if there is one', () => {
    expect(sentences('ask "Now, or later?" with options now, much later or never, default never')).toEqual([
      { do: 'ask', question: 'Now, or later?', options: ['now', 'much later', 'never'], fallback: 'never' },
    ])
    expect(sentences('ask What is your name?')).toEqual([
      { do: 'ask', question: 'What is your name?', options: [], fallback: null },
    ])
  })

  it('ask permission only for what changes something', () => {
    expect(sentences('ask permission to delete a.txt')).toEqual([
      { do: 'ask-permission', action: { do: 'delete', path: 'a.txt' } },
    ])
    expect(sentences('ask for permission to run `rm -r x`')).toMatchObject([
      { do: 'ask-permission', action: { do: 'run', command: 'rm -r x' } },
    ])
  })

  it('are known by any case, as commands with a slash, and in every unit of time', () => {
    expect(sentences('/HELP\nThink for 5 ms\nwait 2 minutes\nRATE LIMIT for 1.5 s')).toEqual([
      { do: 'help' },
      { do: 'think', ms: 5 },
      { do: 'wait', ms: 120_000 },
      { do: 'rate-limit', ms: 1_500 },
    ])
  })

  it('that are unknown are handed back word for word, and the others still count', () => {
    expect(sentences('Make me a sandwich. Say hello')).toEqual([
      { do: 'unknown', words: 'Make me a sandwich' },
      { do: 'say', text: 'hello' },
    ])
  })

  it('name files also with an @, and in quotes by their exact names', () => {
    expect(sentences('read @src/a.ts\nrename @a to "@b"')).toEqual([
      { do: 'read', path: 'src/a.ts' },
      { do: 'rename', from: 'a', to: '@b' },
    ])
  })

  it('are read the same way every time, for any prompt', () => {
    for (const prompt of ['', '\n \n', '"', '```', 'repeat 2 times: repeat 2 times: say {n}', '. . .'])
      expect(sentences(prompt)).toEqual(sentences(prompt))
    expect(sentences(' \n. \n')).toEqual([])
  })
})
