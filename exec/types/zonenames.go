package types

// CommonZones are names that a misspelt time zone is compared with.
func CommonZones() []string {
	return []string{"UTC", "GMT", "Europe/Berlin", "Europe/London", "Europe/Paris", "Europe/Madrid", "Europe/Rome", "Europe/Vienna",
		"Europe/Zurich", "Europe/Amsterdam", "Europe/Brussels", "Europe/Copenhagen", "Europe/Stockholm", "Europe/Oslo", "Europe/Helsinki",
		"Europe/Warsaw", "Europe/Prague", "Europe/Budapest", "Europe/Athens", "Europe/Istanbul", "Europe/Moscow", "Europe/Kyiv",
		"Europe/Lisbon", "Europe/Dublin", "Europe/Bucharest", "America/New_York", "America/Chicago", "America/Denver",
		"America/Los_Angeles", "America/Phoenix", "America/Anchorage", "America/Toronto", "America/Vancouver", "America/Mexico_City",
		"America/Sao_Paulo", "America/Buenos_Aires", "America/Bogota", "America/Lima", "America/Santiago", "America/Halifax",
		"Asia/Tokyo", "Asia/Shanghai", "Asia/Hong_Kong", "Asia/Singapore", "Asia/Seoul", "Asia/Taipei", "Asia/Kolkata", "Asia/Calcutta",
		"Asia/Dubai", "Asia/Tehran", "Asia/Karachi", "Asia/Dhaka", "Asia/Jakarta", "Asia/Manila", "Asia/Bangkok", "Asia/Kathmandu",
		"Asia/Jerusalem", "Asia/Riyadh", "Australia/Sydney", "Australia/Melbourne", "Australia/Brisbane", "Australia/Perth",
		"Australia/Adelaide", "Pacific/Auckland", "Pacific/Honolulu", "Africa/Cairo", "Africa/Johannesburg", "Africa/Lagos",
		"Africa/Nairobi", "Africa/Casablanca", "Atlantic/Reykjavik"}
}

// shortZones are the short names of Java, and so of Spark, that the database of zones does not
// have or takes for others: EST, MST and HST never change their clocks.
var shortZones = map[string]string{
	"ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires", "ART": "Africa/Cairo",
	"AST": "America/Anchorage", "BET": "America/Sao_Paulo", "BST": "Asia/Dhaka", "CAT": "Africa/Harare", "CNT": "America/St_Johns",
	"CST": "America/Chicago", "CTT": "Asia/Shanghai", "EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris",
	"IET": "America/Indiana/Indianapolis", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia", "NET": "Asia/Yerevan",
	"NST": "Pacific/Auckland", "PLT": "Asia/Karachi", "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico",
	"PST": "America/Los_Angeles", "SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh",
	"EST": "-05:00", "MST": "-07:00", "HST": "-10:00",
}
