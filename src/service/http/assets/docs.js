// Shows /openapi.json. Everything is put into the page as text, never as markup.
const element = (name, className, ...children) => {
  const made = document.createElement(name)
  if (className) made.className = className
  made.append(...children)
  return made
}

const typeOf = (schema) => {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum.length > 6 ? `one of ${schema.enum.length} names` : schema.enum.join(' | ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`
  return schema.type ?? 'any'
}

const fieldsOf = (schema) => {
  const inner = schema.type === 'array' ? (schema.items ?? {}) : schema
  const properties = Object.entries(inner.properties ?? {})
  if (properties.length === 0) return undefined
  const list = element('ul')
  for (const [name, field] of properties) {
    const optional = inner.required?.includes(name) ? '' : ', optional'
    const item = element('li', '', element('code', 'name', name), element('span', 'type', `${typeOf(field)}${optional}`))
    if (field.description) item.append(element('span', 'note', field.description))
    if (field.enum?.length > 6) item.append(element('div', 'note', element('code', '', field.enum.join(' '))))
    const nested = fieldsOf(field)
    if (nested) item.append(nested)
    list.append(item)
  }
  return list
}

const section = (title, schema) =>
  (schema.oneOf ?? [schema]).map((one, index) =>
    element('div', '', element('h3', '', index === 0 ? title : `${title}, older type`), fieldsOf(one) ?? typeOf(one)),
  )

const operationOf = (path, operation) => {
  const request = operation.requestBody.content['application/json'].schema
  const answer = operation.responses['200'].content['application/json'].schema
  const heading = element('summary', '', element('code', '', path), element('span', 'summary', operation.summary))
  const box = element('details', '', heading)
  box.id = operation.operationId
  box.addEventListener('toggle', () => {
    if (box.open && box.childElementCount === 1) box.append(...section('Request', request), ...section('Answer', answer))
  })
  return box
}

const openNamed = () => {
  const named = document.getElementById(location.hash.slice(1))
  if (named?.localName !== 'details') return
  named.open = true
  named.scrollIntoView()
}

const show = ({ info, tags, paths }) => {
  document.getElementById('about').textContent = `${info.description} Version ${info.version}.`
  const main = document.getElementById('operations')
  for (const { name } of tags) {
    const operations = Object.entries(paths).filter(([, { post }]) => post.tags.includes(name))
    main.append(element('section', '', element('h2', '', name), ...operations.map(([path, { post }]) => operationOf(path, post))))
  }
  document.getElementById('filter').addEventListener('input', ({ target }) => {
    const wanted = target.value.trim().toLowerCase()
    for (const box of main.querySelectorAll('details')) {
      box.hidden = !box.firstElementChild.textContent.toLowerCase().includes(wanted)
    }
    for (const group of main.children) group.hidden = group.querySelector('details:not([hidden])') === null
  })
  openNamed()
  addEventListener('hashchange', openNamed)
}

fetch('/openapi.json')
  .then((response) => response.json())
  .then(show)
  .catch((error) => {
    document.getElementById('about').textContent = `The description of the interface could not be read: ${error.message}`
  })
