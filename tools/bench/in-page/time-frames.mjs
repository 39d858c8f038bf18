// Runs in a page before anything else does, as it is: tells how far apart frames are while somebody wants to know.
const page = /** @type {{ frameTimes?: number[] }} */ (globalThis)
/** @type {number | null} */
let last = null
const onFrame = (/** @type {number} */ at) => {
  const times = page.frameTimes
  if (times && last !== null) times.push(at - last)
  last = times ? at : null
  requestAnimationFrame(onFrame)
}
requestAnimationFrame(onFrame)
