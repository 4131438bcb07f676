SELECT c.campaign_id, window.start AS window_start, count(*) AS n
FROM ads AS a JOIN campaigns AS c ON a.ad_id = c.ad_id
WHERE a.event_type = 'view'
GROUP BY c.campaign_id, window(a.et, '10 seconds')
