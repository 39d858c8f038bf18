// Runs in a page before anything else does, as it is: tells for each key how long it took until what it did was painted.
/** @type {number[]} */
const keyTimes = []
Object.assign(globalThis, { keyTimes })
const onKey = (/** @type {KeyboardEvent} */ event) => {
  requestAnimationFrame(() => {
    // What is there before a frame is painted with it; a message comes after that.
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => keyTimes.push(performance.now() - event.timeStamp)
    port2.postMessage(null)
  })
}
addEventListener('keydown', onKey, { capture: true })
