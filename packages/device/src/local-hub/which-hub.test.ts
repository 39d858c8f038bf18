import { describe, expect, it } from 'vitest'
import { type HubFacts, whichHub } from './which-hub.ts'

const nothing: HubFacts = { said: null, running: null, near: null, known: [], own: [], mayBegin: false }
const which = (facts: Partial<HubFacts>) => whichHub({ ...nothing, ...facts })

describe('which hub', () => {
  it('is the one that was named, even if there are others', () => {
    const others = { running: 'http://b', near: 'http://c', known: ['http://d'], own: ['http://e'] }
    expect(which({ said: 'http://a', ...others })).toEqual({ is: 'at', url: 'http://a' })
    expect(which(others)).toEqual({ is: 'at', url: 'http://b' })
    expect(which({ ...others, running: null })).toEqual({ is: 'at', url: 'http://c' })
  })

  it('is not started for a command that names its address: so our own processes are told where it is', () => {
    expect(which({ said: 'http://own', own: ['http://own'] })).toEqual({ is: 'at', url: 'http://own' })
  })

  it('is the only one that this machine knows, which may be its own', () => {
    expect(which({ known: ['http://a', 'http://a'] })).toEqual({ is: 'at', url: 'http://a' })
    expect(which({ known: ['http://own'], own: ['http://own'] })).toEqual({ is: 'own' })
    expect(which({ own: ['http://own'] })).toEqual({ is: 'own' })
  })

  it('is the own one also by an address that it has had before', () => {
    const own = ['http://before', 'http://now']
    expect(which({ near: 'http://before', own })).toEqual({ is: 'own' })
    expect(which({ known: ['http://before', 'http://now'], own })).toEqual({ is: 'own' })
  })

  it('is asked for where there are several', () => {
    expect(which({ known: ['http://b', 'http://a'] })).toEqual({
      is: 'several',
      urls: ['http://a', 'http://b'],
    })
    expect(which({ known: ['http://a'], own: ['http://0', 'http://own'], mayBegin: true })).toEqual({
      is: 'several',
      urls: ['http://a', 'http://own'],
    })
  })

  it('is begun only for those who begin something', () => {
    expect(which({})).toEqual({ is: 'none' })
    expect(which({ mayBegin: true })).toEqual({ is: 'own' })
  })
})
