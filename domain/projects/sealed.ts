/** What a sealed value is of. It opens as nothing else, so that a row's value cannot stand in for another row's. */
export const sealedOf = {
  linkSecret: (projectId: string) => `project/${projectId}/link_secret`,
  inboundSecret: (projectId: string) => `project/${projectId}/inbound_secret`,
  webhookSecret: (projectId: string) => `project/${projectId}/webhook_secret`,
  inboundSetting: (projectId: string, provider: string) => `inbound_setting/${projectId}/${provider}`,
  dkimKey: (keyId: string) => `dkim_key/${keyId}/private_key`,
  endpointSecret: (endpointId: string) => `webhook_endpoint/${endpointId}/secret`,
  listenerSecret: (listenerId: string) => `webhook_listener/${listenerId}/secret`,
} as const;
