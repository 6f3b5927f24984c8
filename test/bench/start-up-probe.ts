// A process of its own: lists the models of what is installed, and tells where the time went.
const node = performance.now() // its zero is the start of the process
const { createAirlock } = await import('../../host/index.ts')
const imported = performance.now()
const airlock = await createAirlock()
const created = performance.now()
const { models } = await airlock.models()
const listed = performance.now()
if (models.length === 0) throw new Error('No model was listed')
await airlock.close()
console.log(
  JSON.stringify({
    node,
    imports: imported - node,
    create: created - imported,
    models: listed - created,
    total: listed,
  }),
)

export {}
