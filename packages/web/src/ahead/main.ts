import { askAhead } from './ask-ahead.ts'
import { place } from './asked-ahead.ts'
import { isKnownHere } from './is-known-here.ts'
import { sessionKey } from './session-key.ts'

place.farhandAhead = askAhead({
  origin: location.origin,
  path: location.pathname,
  isLogWanted: !isKnownHere() && document.visibilityState === 'visible',
  fetch: (url, init) => fetch(url, init),
  sessionKey,
})
