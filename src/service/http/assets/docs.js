// Shows /openapi.json. Everything is put into the page as text, never as markup.
const element = (name, className, ...children) => {
  const made = document.createElement(name)
  if (className) made.className = className
  made.append(...children)
  return made
}

const typeOf = (schema) => {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
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
    const isRequired = inner.required?.includes(name)
    const item = element('li', '', element('code', '', name), `: ${typeOf(field)}${isRequired ? '' : ', optional'} `)
    if (field.description) item.append(element('span', 'note', field.description))
    if (field.enum?.length > 6) item.append(element('div', 'note', element('code', '', field.enum.join(' '))))
    const nested = fieldsOf(field)
    if (nested) item.append(nested)
    list.append(item)
  }
  return list
}

const section = (title, schema) => {
  const schemas = schema.oneOf ?? [schema]
  return schemas.map((one) => element('div', '', element('h3', '', title), fieldsOf(one) ?? element('p', '', typeOf(one))))
}

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

const show = ({ info, tags, paths }) => {
  document.getElementById('about').textContent = `${info.description} Version ${info.version}.`
  const main = document.getElementById('operations')
  for (const { name } of tags) {
    const group = element('section', '', element('h2', '', name))
    for (const [path, { post }] of Object.entries(paths)) {
      if (post.tags.includes(name)) group.append(operationOf(path, post))
    }
    main.append(group)
  }
  document.getElementById('filter').addEventListener('input', ({ target }) => {
    for (const box of main.querySelectorAll('details')) box.hidden = !box.textContent.includes(target.value.trim())
  })
  const named = document.getElementById(location.hash.slice(1))
  if (named) named.open = true
}

fetch('/openapi.json')
  .then((response) => response.json())
  .then(show)
