// Shows /openapi.json. Everything is put into the page as text, never as markup.
const element = (name, className, ...children) => {
  const made = document.createElement(name)
  if (className) made.className = className
  made.append(...children)
  return made
}

let namedSchemas = {}

/** A named schema stands in its place as a reference, which ends with the name, or with more of its fields beside it. */
const nameOf = (schema) => (schema.$ref ?? schema.allOf?.[0].$ref)?.split('/').at(-1)

const resolved = (schema) => {
  if (schema.$ref) return resolved(namedSchemas[nameOf(schema)])
  return schema.allOf ? schema.allOf.map(resolved).reduce(joined) : schema
}

/** Both hold of one value. What the second says of a field comes on top. */
const joined = (first, second) => {
  const properties = { ...first.properties }
  for (const [name, field] of Object.entries(second.properties ?? {})) {
    properties[name] = { ...resolved(properties[name] ?? {}), ...field }
  }
  return { ...first, ...second, properties, required: [...(first.required ?? []), ...(second.required ?? [])] }
}

const choicesOf = (schema) => schema.anyOf ?? schema.oneOf ?? []

const typeOf = (schema) => {
  const { const: only, enum: values, type, items = {}, ...rest } = resolved(schema)
  if (only !== undefined) return String(only)
  if (values) return values.length > 6 ? `one of ${values.length} names` : values.join(' | ')
  if (type === 'array') return `list of ${typeOf(items)}`
  const choices = choicesOf(rest)
  if (type === 'object' || choices.length > 0) return nameOf(schema) ?? (type || typesOf(choices))
  return type ?? 'any'
}

const typesOf = (choices) => [...new Set(choices.map(typeOf))].join(' | ')

/** `within`: the names of the schemas around this one. A schema that comes within itself is shown by its name there. */
const fieldsOf = (schema, within = []) => {
  const name = nameOf(schema)
  if (within.includes(name)) return undefined
  const around = name === undefined ? within : [...within, name]
  const whole = resolved(schema)
  if (whole.type === 'array') return fieldsOf(whole.items ?? {}, around)
  const items = [
    ...Object.entries(whole.properties ?? {}).map(([name, field]) => fieldOf(name, field, whole, around)),
    ...choicesOf(whole).flatMap((choice) => choiceOf(choice, around)),
  ]
  if (items.length === 0) return undefined
  const list = element('ul', '', ...items)
  return name === undefined || within.length === 0 ? list : folded(name, list)
}

/** What belongs to a named schema within another one is a click away, so that the fields around it stay together. */
const folded = (name, list) => element('details', 'inner', element('summary', '', name), list)

const fieldOf = (name, field, { required = [] }, within) => {
  const optional = required.includes(name) ? '' : ', optional'
  const item = element('li', '', element('code', 'name', name), element('span', 'type', `${typeOf(field)}${optional}`))
  const { description, enum: values } = { ...resolved(field), ...field }
  if (description) item.append(element('span', 'note', description))
  if (values?.length > 6) item.append(element('div', 'note', element('code', '', values.join(' '))))
  const nested = fieldsOf(field, within)
  if (nested) item.append(nested)
  return item
}

/** One of the forms that a value may have. */
const choiceOf = (choice, within) => {
  const fields = fieldsOf(choice, within)
  if (fields === undefined) return []
  const { description } = resolved(choice)
  const item = element('li', '', element('span', 'type', 'either'))
  if (description) item.append(element('span', 'note', description))
  item.append(fields)
  return [item]
}

const part = (title, schema) => element('div', '', element('h3', '', title), fieldsOf(schema) ?? typeOf(schema))

/** The newest type is what a new client needs; the others stay for clients that exist. */
const requestOf = (schema) => {
  const [newest, ...older] = schema.oneOf ?? [schema]
  return [part('Request', newest), ...older.map(olderOf)]
}

const olderOf = (schema) => {
  const heading = element('summary', '', 'Older type ', element('code', '', schema.properties.type.const))
  return element('details', 'older', heading, fieldsOf(schema.properties.parameters) ?? 'no parameters')
}

const examplesOf = (operation) => {
  const body = JSON.stringify(operation.requestBody.content['application/json'].example, null, 2)
  const samples = [{ label: 'JSON', source: body }, ...operation['x-codeSamples']]
  const shown = samples.map(({ label, source }) =>
    element('figure', '', element('figcaption', '', label), element('pre', '', element('code', '', source))),
  )
  return element('div', 'examples', element('h3', '', 'Example, with made-up ids, keys and times'), ...shown)
}

const operationOf = (path, operation) => {
  const request = operation.requestBody.content['application/json'].schema
  const answer = operation.responses['200'].content['application/json'].schema
  const heading = element('summary', '', element('code', '', path), element('span', 'summary', operation.summary))
  const box = element('details', 'operation', heading)
  box.id = operation.operationId
  box.addEventListener('toggle', () => {
    if (!box.open || box.childElementCount > 1) return
    box.append(examplesOf(operation), ...requestOf(request), part('Answer', answer))
  })
  return box
}

const groupOf = ({ name, description }, paths) => {
  const operations = Object.entries(paths).filter(([, { post }]) => post.tags.includes(name))
  const boxes = operations.map(([path, { post }]) => operationOf(path, post))
  const group = element('section', '', element('h2', '', name), element('p', 'about', description), ...boxes)
  group.id = `group-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
  return group
}

const linkTo = (group) => {
  const link = element('a', '', group.firstElementChild.textContent)
  link.href = `#${group.id}`
  return link
}

const openNamed = () => {
  const named = document.getElementById(location.hash.slice(1))
  if (named === null) return
  if (named.localName === 'details') named.open = true
  named.scrollIntoView()
}

/** Every word must stand in the path, the summary or the name of the group. */
const showMatching = (text) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  for (const group of document.getElementById('operations').children) {
    const title = group.firstElementChild.textContent
    const boxes = [...group.querySelectorAll('details.operation')]
    for (const box of boxes) {
      const told = `${title} ${box.firstElementChild.textContent}`.toLowerCase()
      box.hidden = !words.every((word) => told.includes(word))
    }
    group.hidden = boxes.every((box) => box.hidden)
    document.querySelector(`a[href="#${group.id}"]`).hidden = group.hidden
  }
  const isEmpty = document.querySelector('section:not([hidden])') === null
  document.getElementById('nothing').textContent = isEmpty ? `No operation matches “${text.trim()}”.` : ''
}

const show = ({ info, tags, paths, components }) => {
  namedSchemas = components.schemas
  document.getElementById('about').textContent = `${info.description} Version ${info.version}.`
  const groups = tags.map((tag) => groupOf(tag, paths))
  document.getElementById('operations').append(...groups)
  document.getElementById('groups').append(...groups.map(linkTo))
  const filter = document.getElementById('filter')
  filter.addEventListener('input', () => showMatching(filter.value))
  showMatching(filter.value) // a browser that goes back fills in what stood there
  openNamed()
  addEventListener('hashchange', openNamed)
}

fetch('/openapi.json')
  .then((response) => response.json())
  .then(show)
  .catch((error) => {
    document.getElementById('about').textContent = `The description of the interface could not be read: ${error.message}`
  })
