// Runs in a page before anything else does, as it is: tells how far apart frames are while somebody wants to know.
let last = null
globalThis.frameTimes = null
const onFrame = (at) => {
  const times = globalThis.frameTimes
  if (times && last !== null) times.push(at - last)
  last = times ? at : null
  requestAnimationFrame(onFrame)
}
requestAnimationFrame(onFrame)
